//! The only values a template sees. Addresses are relative to the page; texts are in its language.
//! Fields that end in `_html` are ready markup; everything else is plain text and gets escaped.

use serde::Serialize;

/// What every template gets.
#[derive(Debug, Clone, Serialize)]
pub struct View {
    /// The site.
    pub site: SiteView,
    /// The page.
    pub page: PageView,
    /// Tag of the interface's language (`lang` of the document).
    pub lang: String,
    /// `ltr` or `rtl`.
    pub dir: &'static str,
    /// Way from the page to the output's root: empty, or `../` once or more.
    pub root: String,
}

/// The site as seen from a page.
#[derive(Debug, Clone, Serialize)]
pub struct SiteView {
    /// Its title in the page's language.
    pub title: String,
    /// What it is about, in the page's language.
    pub description: String,
    /// Address of its home page in this language.
    pub home: String,
    /// The main menu.
    pub menu: Vec<LinkView>,
    /// All languages, the page's own included.
    pub languages: Vec<LanguageView>,
    /// Address of this language's feed (empty when there is none).
    pub feed: String,
    /// Address of the list of experiments (empty when there is none).
    pub experiments: String,
    /// Address of the list of all claims (empty when there is none).
    pub claims: String,
    /// Address of the list of tags (empty when there is none).
    pub tags: String,
    /// Address of the translation board (empty when there is none).
    pub translations: String,
    /// `benchbook` and its version.
    pub generator: String,
    /// The site's Content-Security-Policy.
    pub csp: &'static str,
}

/// A link.
#[derive(Debug, Clone, Serialize)]
pub struct LinkView {
    /// Words.
    pub title: String,
    /// Address.
    pub url: String,
    /// Whether it leads to this page or the section it is in.
    pub current: bool,
}

/// A language in the switch.
#[derive(Debug, Clone, Serialize)]
pub struct LanguageView {
    /// Its tag.
    pub tag: String,
    /// Its own name.
    pub name: String,
    /// The site's title in it.
    pub site_title: String,
    /// `ltr` or `rtl`.
    pub dir: &'static str,
    /// Address of this page in it (the fallback page where there is no translation).
    pub url: String,
    /// Whether it is the page's own.
    pub current: bool,
    /// Whether the page exists in it.
    pub translated: bool,
}

/// A page.
#[derive(Debug, Clone, Serialize, Default)]
pub struct PageView {
    /// `home`, `section`, `article`, `page`, `experiment`, `experiments`, `claims`, `translations`,
    /// `tag`, `tags`, `not-found`, `root` (the chooser of languages).
    pub kind: &'static str,
    /// Title.
    pub title: String,
    /// Description (may be empty).
    pub description: String,
    /// Absolute address, when the site has a base address.
    pub canonical: Option<String>,
    /// Whether search engines shall leave it out (fallback pages).
    pub noindex: bool,
    /// The same page in other languages, absolute, for `hreflang`; only real translations.
    pub alternates: Vec<AlternateView>,
    /// Date in words and as ISO.
    pub date: Option<DateView>,
    /// Last change in words and as ISO.
    pub updated: Option<DateView>,
    /// Authors joined in the page's language.
    pub authors: String,
    /// Tags.
    pub tags: Vec<LinkView>,
    /// Reading time in words (`7 min`).
    pub reading_time: String,
    /// Origin of the values, on `experiment`: `published`, `imported`, `measured`, or empty.
    pub origin: String,
    /// The same in words.
    pub origin_label: String,
    /// Language of the body, where it isn't the interface's (a missing translation).
    pub body_lang: Option<String>,
    /// Direction of that language.
    pub body_dir: Option<&'static str>,
    /// What the reader should know of this translation.
    pub notice: Option<NoticeView>,
    /// Large figures above the text.
    pub headlines: Vec<HeadlineView>,
    /// The text.
    pub body_html: String,
    /// Headings of levels 2 and 3, for the table of contents.
    pub headings: Vec<HeadingView>,
    /// Pages of this section (home, section, tag), newest or lightest first.
    pub cards: Vec<CardView>,
    /// Experiments the page speaks of, or all of them on `experiments`.
    pub experiments: Vec<CardView>,
    /// Publications the figures come from.
    pub sources: Vec<SourceView>,
    /// The page's claims, or the site's on `claims`.
    pub claims: Vec<ClaimView>,
    /// The page's inline values with their evidence.
    pub values: Vec<ValueView>,
    /// Result files offered for download.
    pub downloads: Vec<DownloadView>,
    /// The page before in its section.
    pub previous: Option<LinkView>,
    /// The page after.
    pub next: Option<LinkView>,
    /// Way from the home page to this one.
    pub breadcrumbs: Vec<LinkView>,
    /// Translation states, on `translations`: a row a page.
    pub board: Vec<BoardRowView>,
    /// JSON-LD, safe inside a `script` element.
    pub json_ld: String,
}

/// An alternate address.
#[derive(Debug, Clone, Serialize)]
pub struct AlternateView {
    /// Language tag or `x-default`.
    pub hreflang: String,
    /// Absolute address.
    pub url: String,
}

/// A date.
#[derive(Debug, Clone, Serialize)]
pub struct DateView {
    /// In words of the page's language.
    pub words: String,
    /// ISO 8601.
    pub iso: String,
}

/// A notice above a text.
#[derive(Debug, Clone, Serialize)]
pub struct NoticeView {
    /// `untranslated`, `stale` or `draft`.
    pub kind: &'static str,
    /// What it says.
    pub text: String,
    /// The original.
    pub link: Option<LinkView>,
}

/// A large figure.
#[derive(Debug, Clone, Serialize)]
pub struct HeadlineView {
    /// The figure.
    pub value_html: String,
    /// What it is.
    pub label: String,
}

/// A heading.
#[derive(Debug, Clone, Serialize)]
pub struct HeadingView {
    /// 2 or 3.
    pub level: u8,
    /// Anchor.
    pub id: String,
    /// Words, without links.
    pub html: String,
}

/// A card that leads to a page or an experiment.
#[derive(Debug, Clone, Serialize)]
pub struct CardView {
    /// Title.
    pub title: String,
    /// Description (may be empty).
    pub description: String,
    /// Address.
    pub url: String,
    /// Date.
    pub date: Option<DateView>,
    /// Reading time, or counts of cases (may be empty).
    pub detail: String,
    /// Origin of the values: `published`, `imported`, `measured`, or empty.
    pub origin: String,
    /// The same in words.
    pub origin_label: String,
    /// A small chart as inline SVG (may be empty).
    pub preview_html: String,
    /// Language of title and description, where it isn't the page's.
    pub lang: Option<String>,
}

/// A publication.
#[derive(Debug, Clone, Serialize)]
pub struct SourceView {
    /// Title, in its own language.
    pub title: String,
    /// Authors joined.
    pub authors: String,
    /// Date in words.
    pub date: String,
    /// Address (may be empty).
    pub url: String,
    /// Language it is written in, in words (may be empty).
    pub language: String,
    /// Tag of that language (may be empty).
    pub lang: String,
    /// A remark (may be empty).
    pub note: String,
}

/// A claim with its verdict.
#[derive(Debug, Clone, Serialize)]
pub struct ClaimView {
    /// Anchor of the phrase.
    pub id: String,
    /// Anchor of the ledger's row.
    pub row_id: String,
    /// The phrase.
    pub prose: String,
    /// The page it stands on (on `claims`).
    pub page: Option<LinkView>,
    /// The condition as written.
    pub condition: String,
    /// Verdict: `holds`, `refuted`, `undecided`.
    pub verdict: &'static str,
    /// Verdict in words.
    pub verdict_label: String,
    /// Whether a refutation was expected: somebody else's claim.
    pub quoted: bool,
    /// What the data say, in words (`1.59 against at most 0.55; one run each`).
    pub finding: String,
    /// Where the values stand (`points.csv:6`).
    pub places: Vec<PlaceView>,
}

/// A place in a result file.
#[derive(Debug, Clone, Serialize)]
pub struct PlaceView {
    /// `points.csv:6`.
    pub label: String,
    /// Address of the downloadable file.
    pub url: String,
}

/// An inline value with its evidence.
#[derive(Debug, Clone, Serialize)]
pub struct ValueView {
    /// Anchor of the row.
    pub id: String,
    /// Anchor of the place in the text.
    pub back_id: String,
    /// The value as shown.
    pub value: String,
    /// The expression as written.
    pub expression: String,
    /// n, interval, origin in words.
    pub detail: String,
    /// Where it stands.
    pub places: Vec<PlaceView>,
}

/// A file to download.
#[derive(Debug, Clone, Serialize)]
pub struct DownloadView {
    /// File name.
    pub name: String,
    /// Address.
    pub url: String,
    /// Size in words.
    pub size: String,
    /// What it is.
    pub description: String,
}

/// A row of the translation board.
#[derive(Debug, Clone, Serialize)]
pub struct BoardRowView {
    /// The page.
    pub page: LinkView,
    /// A state per language, in the site's order.
    pub states: Vec<BoardStateView>,
}

/// The state of one translation.
#[derive(Debug, Clone, Serialize)]
pub struct BoardStateView {
    /// Language tag.
    pub lang: String,
    /// `original`, `ok`, `unstamped`, `stale`, `missing`.
    pub state: &'static str,
    /// The same in words.
    pub label: String,
    /// Address of the page in that language.
    pub url: String,
}

/// What `redirect.html` gets: the page that stands at an old address.
#[derive(Debug, Clone, Serialize)]
pub struct RedirectView {
    /// Language of the page it leads to.
    pub lang: String,
    /// `ltr` or `rtl`.
    pub dir: &'static str,
    /// Way to the output's root.
    pub root: String,
    /// The site's Content-Security-Policy.
    pub csp: &'static str,
    /// Title of the page it leads to.
    pub title: String,
    /// Its address from here.
    pub url: String,
    /// Its absolute address, when the site has a base address.
    pub canonical: Option<String>,
}

/// What `feed.xml` gets as `feed`, beside `site`, `lang` and `root`. All addresses are absolute.
#[derive(Debug, Clone, Serialize)]
pub struct FeedView {
    /// Title.
    pub title: String,
    /// What it is known by for good.
    pub id: String,
    /// Last change as an RFC 3339 time.
    pub updated: String,
    /// Its own address.
    pub self_url: String,
    /// Address of the home page in this language.
    pub home_url: String,
    /// Pages, newest first.
    pub entries: Vec<EntryView>,
}

/// A page in a feed.
#[derive(Debug, Clone, Serialize)]
pub struct EntryView {
    /// Title.
    pub title: String,
    /// Address.
    pub url: String,
    /// What it is known by for good.
    pub id: String,
    /// Last change as an RFC 3339 time.
    pub updated: String,
    /// What it is about (may be empty).
    pub summary: String,
    /// Who wrote it; the site itself where nobody is named.
    pub authors: Vec<String>,
    /// Language it is written in.
    pub lang: String,
}

/// A page in `sitemap.xml`, which gets a list of them as `urls`.
#[derive(Debug, Clone, Serialize)]
pub struct SitemapUrlView {
    /// Absolute address.
    pub loc: String,
    /// Last change as an ISO date.
    pub lastmod: Option<String>,
    /// The same page in all its languages, itself included.
    pub alternates: Vec<AlternateView>,
}
