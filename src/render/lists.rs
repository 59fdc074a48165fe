//! Pages that list: all claims, all tags, the translation board, and the page for dead addresses.

use std::collections::{BTreeMap, BTreeSet};

use crate::diag::Report;
use crate::output::Door;
use crate::site::{Page, address, translation};
use crate::text::Lang;

use super::press::{Press, Seat};
use super::view::{BoardRowView, BoardStateView, CardView, ClaimView, LinkView, PageView};
use super::{in_parallel, page};

/// Which pages use which experiments, and what they claim.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// Keys of pages by experiment.
    pub pages: BTreeMap<String, BTreeSet<String>>,
    /// Claims by language and page key.
    pub claims: BTreeMap<Lang, Vec<(String, Vec<ClaimView>)>>,
}

impl Uses {
    /// Notes what a page uses.
    pub(super) fn note(
        &mut self,
        page: &Page,
        lang: &Lang,
        experiments: Vec<String>,
        claims: Vec<ClaimView>,
    ) {
        for experiment in experiments {
            self.pages
                .entry(experiment)
                .or_default()
                .insert(page.key.clone());
        }
        if !claims.is_empty() {
            self.claims
                .entry(lang.clone())
                .or_default()
                .push((page.key.clone(), claims));
        }
    }
}

/// Renders every list in every language; returns how many pages that were.
pub(super) fn render(press: &Press<'_>, uses: &Uses, door: &Door, report: &mut Report) -> usize {
    chooser(press, door, report);
    let in_each = in_parallel(&press.site.languages, report, |lang, report| {
        let mut pages = 1;
        claims(press, uses, lang, door, report);
        if press.is_generated("translations") {
            board(press, lang, door, report);
            pages += 1;
        }
        if press.is_generated("tags") {
            pages += tags(press, lang, door, report);
        }
        not_found(press, lang, door, report);
        pages
    });
    in_each.into_iter().sum()
}

/// The seat of a page that the site makes by itself; it exists in every language.
pub(super) fn generated_seat<'a>(
    press: &Press<'_>,
    lang: &'a Lang,
    of: impl Fn(&Lang) -> String,
) -> Seat<'a> {
    Seat {
        lang,
        address: of(lang),
        others: press
            .site
            .languages
            .iter()
            .map(|other| (other.clone(), of(other), true))
            .collect(),
        key: None,
    }
}

/// Renders a generated page into the door.
pub(super) fn put(
    press: &Press<'_>,
    seat: &Seat<'_>,
    template: &str,
    view: PageView,
    door: &Door,
    report: &mut Report,
) {
    let view = press.view(seat, view);
    if let Some(html) = press.templates.render(template, &view, report) {
        press.anchors.note(&seat.address, &html);
        door.insert(seat.address.clone(), html);
    }
}

/// The way back home, for generated pages.
pub(super) fn home_crumb(press: &Press<'_>, seat: &Seat<'_>) -> Vec<LinkView> {
    let home = format!("{}/index.html", seat.lang);
    let title = press
        .site
        .page("")
        .map_or_else(String::new, |page| press.title(page, seat.lang));
    vec![LinkView {
        title,
        url: address::relative(&seat.address, &home),
        current: false,
    }]
}

fn claims(press: &Press<'_>, uses: &Uses, lang: &Lang, door: &Door, report: &mut Report) {
    let language = press.language(lang);
    let seat = generated_seat(press, lang, |lang| address::of_generated("claims", lang));
    let mut views = Vec::new();
    for (key, claims) in uses.claims.get(lang).into_iter().flatten() {
        let Some(page) = press.site.page(key) else {
            continue;
        };
        let to = address::relative(&seat.address, &address::of_page(page, lang));
        for claim in claims {
            let number = views.len() + 1;
            let mut claim = claim.clone();
            claim.row_id = format!("claim-{number}");
            claim.page = Some(LinkView {
                title: press.title(page, lang),
                url: format!("{to}#{}", claim.id),
                current: false,
            });
            for place in &mut claim.places {
                // Places were seen from the claim's own page.
                let from = address::of_page(page, lang);
                place.url = move_link(&from, &seat.address, &place.url);
            }
            views.push(claim);
        }
    }
    let view = PageView {
        kind: "claims",
        title: language.message("claims").to_owned(),
        description: language.message("claims-about").to_owned(),
        breadcrumbs: home_crumb(press, &seat),
        claims: views,
        ..PageView::default()
    };
    put(press, &seat, "claims.html", view, door, report);
}

/// A relative link as seen from another address.
fn move_link(from: &str, to: &str, link: &str) -> String {
    let mut parts: Vec<&str> = from
        .rsplit_once('/')
        .map_or("", |(folder, _)| folder)
        .split('/')
        .collect();
    for part in link.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    // The link's bytes are escaped already.
    format!("{}{}", address::root(to), parts.join("/"))
}

fn board(press: &Press<'_>, lang: &Lang, door: &Door, report: &mut Report) {
    let language = press.language(lang);
    let seat = generated_seat(press, lang, |lang| {
        address::of_generated("translations", lang)
    });
    let rows = press
        .site
        .pages
        .iter()
        .filter(|page| !page.documents.is_empty())
        .map(|page| BoardRowView {
            page: LinkView {
                title: press.title(page, lang),
                url: address::relative(&seat.address, &address::of_page(page, lang)),
                current: false,
            },
            states: press
                .site
                .languages
                .iter()
                .map(|other| {
                    let state = translation::state(page, other).key();
                    BoardStateView {
                        lang: other.tag().to_owned(),
                        state,
                        label: language.message(&format!("state-{state}")).to_owned(),
                        url: address::relative(&seat.address, &address::of_page(page, other)),
                    }
                })
                .collect(),
        })
        .collect();
    let view = PageView {
        kind: "translations",
        title: language.message("translations").to_owned(),
        description: language.message("translations-about").to_owned(),
        breadcrumbs: home_crumb(press, &seat),
        board: rows,
        ..PageView::default()
    };
    put(press, &seat, "translations.html", view, door, report);
}

/// The address of the list of pages with a tag, by the last part of it.
pub(super) fn tag_address(slug: &str, lang: &Lang) -> String {
    address::of_generated(&format!("tags/{slug}"), lang)
}

/// The list of tags and a page for each; returns how many pages that were.
fn tags(press: &Press<'_>, lang: &Lang, door: &Door, report: &mut Report) -> usize {
    let language = press.language(lang);
    let mut tagged: BTreeMap<&str, Vec<&Page>> = BTreeMap::new();
    for page in &press.site.pages {
        let tags = page.document(lang).map(|document| &document.front.tags);
        for tag in tags.into_iter().flatten() {
            let pages = tagged.entry(press.tags.slug(tag)).or_default();
            // A page may name a tag twice, spelt differently.
            if pages.last().is_none_or(|last| !std::ptr::eq(*last, page)) {
                pages.push(page);
            }
        }
    }
    let mut pages = 1;
    let list = generated_seat(press, lang, |lang| address::of_generated("tags", lang));
    let mut links = Vec::new();
    for (tag, slug) in press.tags.in_language(lang) {
        let tagged = tagged.get(slug).map_or(&[][..], Vec::as_slice);
        // A tag may be missing in another language; its list then leads to that language's tags.
        let others = press
            .site
            .languages
            .iter()
            .map(|other| {
                let has = press.tags.has(other, tag);
                let to = if has {
                    tag_address(slug, other)
                } else {
                    address::of_generated("tags", other)
                };
                (other.clone(), to, has)
            })
            .collect();
        let address = tag_address(slug, lang);
        let seat = Seat {
            lang,
            address,
            others,
            key: None,
        };
        let mut crumbs = home_crumb(press, &seat);
        crumbs.push(LinkView {
            title: language.message("tags").to_owned(),
            url: address::relative(&seat.address, &list.address),
            current: false,
        });
        let cards = sorted(tagged)
            .into_iter()
            .map(|page| page::card(press, page, lang, &seat.address))
            .collect();
        let view = PageView {
            kind: "tag",
            title: tag.to_owned(),
            breadcrumbs: crumbs,
            cards,
            ..PageView::default()
        };
        links.push(LinkView {
            title: tag.to_owned(),
            url: address::relative(&list.address, &seat.address),
            current: false,
        });
        put(press, &seat, "tag.html", view, door, report);
        pages += 1;
    }
    links.sort_by(|a, b| language.compare(&a.title, &b.title));
    let view = PageView {
        kind: "tags",
        title: language.message("tags").to_owned(),
        breadcrumbs: home_crumb(press, &list),
        tags: links,
        ..PageView::default()
    };
    put(press, &list, "tags.html", view, door, report);
    pages
}

/// Pages newest first, then by key.
fn sorted<'a>(pages: &[&'a Page]) -> Vec<&'a Page> {
    let mut pages = pages.to_vec();
    pages.sort_by(|a, b| (date_of(b), &a.key).cmp(&(date_of(a), &b.key)));
    pages
}

fn date_of(page: &Page) -> Option<&str> {
    page.documents
        .get(&page.original)
        .and_then(|document| document.front.date.as_deref())
}

/// The articles of the whole site, newest first, for the home page.
pub(super) fn newest(press: &Press<'_>, lang: &Lang, address: &str) -> Vec<CardView> {
    const SHOWN: usize = 20;
    let articles: Vec<&Page> = press
        .site
        .pages
        .iter()
        .filter(|page| page.is_article() && date_of(page).is_some())
        .collect();
    sorted(&articles)
        .into_iter()
        .take(SHOWN)
        .map(|page| page::card(press, page, lang, address))
        .collect()
}

fn not_found(press: &Press<'_>, lang: &Lang, door: &Door, report: &mut Report) {
    let language = press.language(lang);
    let seat = generated_seat(press, lang, |lang| format!("{lang}/404.html"));
    let view = PageView {
        kind: "not-found",
        title: language.message("not-found").to_owned(),
        noindex: true,
        ..PageView::default()
    };
    put(press, &seat, "not-found.html", view, door, report);
}

/// The root page, where a reader chooses a language, and the root's page for dead addresses.
fn chooser(press: &Press<'_>, door: &Door, report: &mut Report) {
    let lang = press.site.default_language();
    let home = |lang: &Lang| format!("{lang}/index.html");
    for (address, kind, template) in [
        ("index.html", "root", "root.html"),
        ("404.html", "not-found", "not-found.html"),
    ] {
        let mut seat = generated_seat(press, lang, home);
        seat.address = address.to_owned();
        let title = match kind {
            "root" => press.order.title.get(lang).to_owned(),
            _ => press.language(lang).message("not-found").to_owned(),
        };
        let description = press.order.description.get(lang).to_owned();
        let view = PageView {
            kind,
            title,
            description: if kind == "root" {
                description
            } else {
                String::new()
            },
            noindex: kind != "root",
            ..PageView::default()
        };
        put(press, &seat, template, view, door, report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_move_with_their_page() {
        let moved = move_link(
            "de/a/b/index.html",
            "de/claims/index.html",
            "../../../data/x%20y.csv",
        );
        assert_eq!(moved, "../../data/x%20y.csv");
    }
}
