//! A content page in one language: its body in its frame.

use crate::content::Document;
use crate::diag::{Code, Diagnostic, Report};
use crate::model::Experiment;
use crate::output::Door;
use crate::site::{Page, Role, State, address, translation};
use crate::text::letter::has_no_place;
use crate::text::{Argument, Lang, Language};

use super::body::{self, Body, Place};
use super::press::{Press, Seat};
use super::view::{CardView, DateView, LinkView, NoticeView, PageView, SourceView};
use super::{Rendered, Tally, experiment, lists};

/// Renders a page for the readers of a language.
pub(super) fn render(
    press: &Press<'_>,
    page: &Page,
    lang: &Lang,
    door: &Door,
    report: &mut Report,
) -> Rendered {
    let address = address::of_page(page, lang);
    let document = page.document(lang);
    let language = press.language(lang);
    let translated = page.has(lang);
    let mut body = Body::default();
    let mut unheard = Report::new();
    if let Some(document) = document {
        // A text in another language keeps that language's numbers and words; its faults are
        // reported where it is rendered for its own readers.
        let own = if translated {
            language
        } else {
            press.language(&page.original)
        };
        let report = if translated {
            &mut *report
        } else {
            &mut unheard
        };
        let place = Place {
            lang,
            address: &address,
        };
        body = body::work(press, document, own, place, report);
    }
    let tally = if translated {
        tally(&body)
    } else {
        Tally::default()
    };
    let mut view = view(press, page, lang, document, &body, &address);
    let template = template(press, page, document, report);
    let seat = seat(press, page, lang, &address);
    view.body_html = std::mem::take(&mut body.html);
    let view = press.view(&seat, view);
    if let Some(html) = press.templates.render(&template, &view, report) {
        door.insert(address, html);
    }
    for (address, bytes) in body.files {
        door.insert(address, bytes);
    }
    Rendered {
        claims: if translated { body.claims } else { Vec::new() },
        experiments: body.experiments.into_iter().collect(),
        statements: if translated {
            body.statements
        } else {
            Vec::new()
        },
        tally,
    }
}

fn tally(body: &Body) -> Tally {
    let mut claims = [0; 3];
    for claim in &body.claims {
        let at = ["holds", "refuted", "undecided"]
            .iter()
            .position(|key| *key == claim.verdict);
        claims[at.unwrap_or(0)] += 1;
    }
    Tally {
        pages: 0,
        figures: body.figures,
        values: body.values.len(),
        claims,
    }
}

fn template(
    press: &Press<'_>,
    page: &Page,
    document: Option<&Document>,
    report: &mut Report,
) -> String {
    if let Some(document) = document
        && let Some(name) = &document.front.template
    {
        let name = if name.contains('.') {
            name.clone()
        } else {
            format!("{name}.html")
        };
        if press.templates.has(&name) {
            return name;
        }
        let span = document.front.span_of("template");
        let span = span.map_or_else(|| crate::site::heading(document), Clone::clone);
        report.push(
            Diagnostic::new(
                Code::TemplateError,
                format!("there is no template `{name}`"),
            )
            .at(span, "")
            .suggest(&name, press.templates.names()),
        );
    }
    match kind(page) {
        "home" => "home.html",
        "section" => "section.html",
        "article" => "article.html",
        _ => "page.html",
    }
    .to_owned()
}

fn kind(page: &Page) -> &'static str {
    match page.role {
        Role::Section if page.key.is_empty() => "home",
        Role::Section => "section",
        Role::Page if page.is_article() => "article",
        Role::Page => "page",
    }
}

/// A content page's seat.
pub(super) fn seat<'a>(
    press: &Press<'_>,
    page: &'a Page,
    lang: &'a Lang,
    address: &str,
) -> Seat<'a> {
    Seat {
        lang,
        address: address.to_owned(),
        others: press
            .site
            .languages
            .iter()
            .map(|other| {
                (
                    other.clone(),
                    address::of_page(page, other),
                    is_own(page, other),
                )
            })
            .collect(),
        key: Some(&page.key),
    }
}

/// Whether a page is written in a language; a section without text is at home in all.
fn is_own(page: &Page, lang: &Lang) -> bool {
    page.documents.is_empty() || page.has(lang)
}

fn view(
    press: &Press<'_>,
    page: &Page,
    lang: &Lang,
    document: Option<&Document>,
    body: &Body,
    address: &str,
) -> PageView {
    let language = press.language(lang);
    let mut view = PageView {
        kind: kind(page),
        title: press.title(page, lang),
        breadcrumbs: breadcrumbs(press, page, lang, address),
        headlines: body.headlines.clone(),
        headings: body.headings.clone(),
        claims: body.claims.clone(),
        values: body.values.clone(),
        ..PageView::default()
    };
    if page.role == Role::Section {
        let home = page.key.is_empty();
        view.cards = if home {
            lists::newest(press, lang, address)
        } else {
            cards(press, page, lang, address)
        };
        if home {
            view.experiments = experiment::cards(press, lang, address);
        }
    }
    let Some(document) = document else {
        return view;
    };
    let front = &document.front;
    view.description = front.description.clone().unwrap_or_default();
    view.date = front.date.as_deref().map(|date| self::date(language, date));
    view.updated = front
        .updated
        .as_deref()
        .map(|date| self::date(language, date));
    view.authors = language.list(&front.authors);
    view.tags = front
        .tags
        .iter()
        .map(|tag| LinkView {
            title: tag.clone(),
            url: address::relative(address, &lists::tag_address(press.tags.slug(tag), lang)),
            current: false,
        })
        .collect();
    if page.is_article() {
        view.reading_time = reading_time(language, &document.words);
        let (before, after) = press.site.neighbours(page);
        let neighbour = |page: &Page| LinkView {
            title: press.title(page, lang),
            url: address::relative(address, &address::of_page(page, lang)),
            current: false,
        };
        view.previous = before.map(neighbour);
        view.next = after.map(neighbour);
        let used: Vec<&Experiment> = body
            .experiments
            .iter()
            .filter_map(|key| press.shelf.find(key))
            .map(|index| press.shelf.experiment(index))
            .collect();
        view.sources = sources(language, &used);
        view.experiments = used
            .iter()
            .filter(|_| press.order.experiment_pages)
            .filter_map(|experiment| press.shelf.find(&experiment.definition.key))
            .map(|index| experiment::card(press, index, lang, address))
            .collect();
    }
    view.notice = notice(press, page, lang, document, address);
    if !page.has(lang) {
        let original = press.language(&page.original);
        view.noindex = true;
        view.body_lang = Some(page.original.tag().to_owned());
        view.body_dir = Some(original.direction().attribute());
        if let Some(base) = press.order.base_url {
            let to = address::of_page(page, &page.original);
            view.canonical = Some(format!("{base}{}", super::press::web_address(&to)));
        }
    }
    view.json_ld = json_ld(press, page, lang, document, &view);
    view
}

/// A date in words and as written.
pub(super) fn date(language: &Language, iso: &str) -> DateView {
    DateView {
        words: language.date(iso),
        iso: iso.to_owned(),
    }
}

/// Minutes to read a text, in words: 220 words a minute, a usual figure for prose with numbers.
fn reading_time(language: &Language, words: &str) -> String {
    const WORDS_A_MINUTE: usize = 220;
    let minutes = words
        .split_ascii_whitespace()
        .count()
        .div_ceil(WORDS_A_MINUTE)
        .max(1);
    language.message_with("reading-time", &[("n", Argument::Count(minutes as u64))])
}

fn breadcrumbs(press: &Press<'_>, page: &Page, lang: &Lang, address: &str) -> Vec<LinkView> {
    if page.key.is_empty() {
        return Vec::new();
    }
    press
        .site
        .ancestors(page)
        .into_iter()
        .map(|parent| LinkView {
            title: press.title(parent, lang),
            url: address::relative(address, &address::of_page(parent, lang)),
            current: false,
        })
        .collect()
}

/// The pages of a section as cards.
fn cards(press: &Press<'_>, section: &Page, lang: &Lang, address: &str) -> Vec<CardView> {
    press
        .site
        .children(&section.key)
        .map(|page| card(press, page, lang, address))
        .collect()
}

/// A page as a card.
pub(super) fn card(press: &Press<'_>, page: &Page, lang: &Lang, address: &str) -> CardView {
    let language = press.language(lang);
    let document = page.document(lang);
    let front = document.map(|document| &document.front);
    let preview = front
        .and_then(|front| front.experiments.first())
        .and_then(|key| press.shelf.find(key))
        .map_or_else(String::new, |index| experiment::preview(press, index, lang));
    CardView {
        title: press.title(page, lang),
        description: front
            .and_then(|front| front.description.clone())
            .unwrap_or_default(),
        url: address::relative(address, &address::of_page(page, lang)),
        date: front
            .and_then(|front| front.date.as_deref())
            .map(|iso| date(language, iso)),
        detail: match document {
            Some(document) if page.is_article() => reading_time(language, &document.words),
            _ => String::new(),
        },
        origin: String::new(),
        origin_label: String::new(),
        preview_html: preview,
        lang: (document.is_some() && !page.has(lang)).then(|| page.original.tag().to_owned()),
    }
}

/// The publications that some experiments' figures come from, each once.
pub(super) fn sources(language: &Language, experiments: &[&Experiment]) -> Vec<SourceView> {
    let mut views: Vec<SourceView> = Vec::new();
    for source in experiments
        .iter()
        .flat_map(|experiment| &experiment.definition.sources)
    {
        let written_in = source.language.as_deref().and_then(Lang::parse);
        let view = SourceView {
            title: source.title.clone(),
            authors: language.list(&source.authors),
            date: source
                .date
                .as_deref()
                .map_or_else(String::new, |date| language.date(date)),
            url: source
                .url
                .clone()
                .filter(|url| is_web(url))
                .unwrap_or_default(),
            language: written_in
                .as_ref()
                .map_or_else(String::new, |lang| language.language_name(lang)),
            lang: written_in.map_or_else(String::new, |lang| lang.tag().to_owned()),
            note: source.note.get(language.lang()).to_owned(),
        };
        if !views
            .iter()
            .any(|known| known.title == view.title && known.authors == view.authors)
        {
            views.push(view);
        }
    }
    views
}

fn is_web(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

fn notice(
    press: &Press<'_>,
    page: &Page,
    lang: &Lang,
    document: &Document,
    address: &str,
) -> Option<NoticeView> {
    let language = press.language(lang);
    let original = || LinkView {
        title: language.message("read-original").to_owned(),
        url: address::relative(address, &address::of_page(page, &page.original)),
        current: false,
    };
    let (kind, key, link) = match translation::state(page, lang) {
        State::Missing => ("untranslated", "notice-untranslated", None),
        State::Stale => ("stale", "notice-stale", Some(original())),
        _ if document.front.draft => ("draft", "notice-draft", None),
        _ => return None,
    };
    Some(NoticeView {
        kind,
        text: language.message(key).to_owned(),
        link,
    })
}

fn json_ld(
    press: &Press<'_>,
    page: &Page,
    lang: &Lang,
    document: &Document,
    view: &PageView,
) -> String {
    if !page.is_article() || !page.has(lang) {
        return String::new();
    }
    let mut article = serde_json::json!({
        "@context": "https://schema.org",
        "@type": "Article",
        "headline": document.front.title,
        "inLanguage": lang.tag(),
    });
    let fields = [
        ("description", document.front.description.clone()),
        ("datePublished", document.front.date.clone()),
        ("dateModified", document.front.updated.clone()),
        (
            "url",
            press.order.base_url.map(|base| {
                format!(
                    "{base}{}",
                    super::press::web_address(&address::of_page(page, lang))
                )
            }),
        ),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            article[name] = value.into();
        }
    }
    if !document.front.authors.is_empty() {
        article["author"] = document
            .front
            .authors
            .iter()
            .map(|name| serde_json::json!({ "@type": "Person", "name": name }))
            .collect();
    }
    if !view.sources.is_empty() {
        article["citation"] = view
            .sources
            .iter()
            .map(|source| source.title.clone())
            .collect();
    }
    script_json(&article)
}

/// JSON that can stand inside a `script` element: `<` can't end the element or begin a comment, and
/// what has no place in HTML is written by its number.
pub(super) fn script_json(value: &serde_json::Value) -> String {
    let json = value.to_string();
    let mut out = String::with_capacity(json.len());
    for letter in json.chars() {
        if letter == '<' || has_no_place(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(letter);
        }
    }
    out
}
