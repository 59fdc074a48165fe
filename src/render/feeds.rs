//! What machines read: feeds, sitemap, robots.txt; and pages that lead from old addresses to new ones.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::diag::{Code, Diagnostic, Report, Span};
use crate::output::Door;
use crate::site::address::{self, Book, Owner};
use crate::site::{Page, Role};
use crate::text::Lang;

use super::press::{GENERATED, GENERATOR, Press, web_address};
use super::view::{EntryView, FeedView, RedirectView, SitemapUrlView};

#[derive(Serialize)]
struct FeedContext<'a> {
    site: FeedSite<'a>,
    feed: FeedView,
    lang: &'a str,
    root: String,
    generator: &'a str,
}

/// What a feed says of its site, by the names that pages use.
#[derive(Serialize)]
struct FeedSite<'a> {
    title: &'a str,
    generator: &'static str,
}

#[derive(Serialize)]
struct SitemapContext {
    urls: Vec<SitemapUrlView>,
}

#[derive(Serialize)]
struct RobotsContext {
    sitemap_url: Option<String>,
}

/// Renders all of it.
pub(super) fn render(press: &Press<'_>, door: &Door, report: &mut Report) {
    if let Some(base) = press.order.base_url {
        for lang in &press.site.languages {
            feed(press, base, lang, door, report);
        }
        sitemap(press, base, door, report);
    }
    let sitemap_url = press
        .order
        .base_url
        .map(|base| format!("{base}sitemap.xml"));
    let robots = press
        .templates
        .render("robots.txt", &RobotsContext { sitemap_url }, report);
    if let Some(text) = robots {
        door.insert("robots.txt", text);
    }
    redirects(press, door, report);
}

/// The newest articles in a language, as an Atom feed.
fn feed(press: &Press<'_>, base: &str, lang: &Lang, door: &Door, report: &mut Report) {
    const ENTRIES: usize = 20;
    let mut dated: Vec<(String, &Page)> = press
        .site
        .pages
        .iter()
        .filter(|page| page.role == Role::Page && page.has(lang))
        .filter_map(|page| {
            let front = &page.document(lang)?.front;
            let date = front.updated.as_ref().or(front.date.as_ref())?;
            Some((date.clone(), page))
        })
        .collect();
    dated.sort_by(|a, b| (&b.0, &a.1.key).cmp(&(&a.0, &b.1.key)));
    dated.truncate(ENTRIES);
    let entries: Vec<EntryView> = dated
        .iter()
        .filter_map(|(date, page)| {
            let document = page.document(lang)?;
            let url = format!("{base}{}", web_address(&address::of_page(page, lang)));
            Some(EntryView {
                title: document.front.title.clone(),
                id: url.clone(),
                url,
                updated: midnight(date),
                summary: document.front.description.clone().unwrap_or_default(),
                authors: document.front.authors.clone(),
                lang: lang.tag().to_owned(),
            })
        })
        .collect();
    // No clock: a feed is as old as its newest entry.
    let updated = entries
        .first()
        .map_or_else(|| midnight("1970-01-01"), |entry| entry.updated.clone());
    let path = format!("{lang}/feed.xml");
    let feed = FeedView {
        title: press.order.title.get(lang).to_owned(),
        id: format!("{base}{path}"),
        updated,
        self_url: format!("{base}{path}"),
        home_url: format!("{base}{lang}/"),
        entries,
    };
    let context = FeedContext {
        site: FeedSite {
            title: press.order.title.get(lang),
            generator: GENERATOR,
        },
        feed,
        lang: lang.tag(),
        root: address::root(&path),
        generator: GENERATOR,
    };
    if let Some(text) = press.templates.render("feed.xml", &context, report) {
        door.insert(path, text);
    }
}

/// A date as an RFC 3339 time.
fn midnight(date: &str) -> String {
    format!("{date}T00:00:00Z")
}

/// Every page that is no fallback, with its translations.
fn sitemap(press: &Press<'_>, base: &str, door: &Door, report: &mut Report) {
    let mut urls = Vec::new();
    let languages = &press.site.languages;
    for page in &press.site.pages {
        let others: Vec<(Lang, String, bool)> = languages
            .iter()
            .map(|lang| {
                let own = page.documents.is_empty() || page.has(lang);
                (lang.clone(), address::of_page(page, lang), own)
            })
            .collect();
        for (lang, address, _) in others.iter().filter(|(.., own)| *own) {
            let front = page.document(lang).map(|document| &document.front);
            let lastmod =
                front.and_then(|front| front.updated.clone().or_else(|| front.date.clone()));
            urls.push(SitemapUrlView {
                loc: format!("{base}{}", web_address(address)),
                lastmod,
                alternates: press.alternates(base, &others),
            });
        }
    }
    type AddressIn<'a> = Box<dyn Fn(&Lang) -> String + 'a>;
    let mut generated: Vec<AddressIn<'_>> = Vec::new();
    for name in GENERATED
        .into_iter()
        .filter(|name| press.is_generated(name))
    {
        generated.push(Box::new(move |lang| address::of_generated(name, lang)));
    }
    if press.is_generated("experiments") {
        for experiment in press.shelf.all() {
            let key = &experiment.definition.key;
            generated.push(Box::new(move |lang| address::of_experiment(key, lang)));
        }
    }
    for of in generated {
        let others: Vec<(Lang, String, bool)> = languages
            .iter()
            .map(|lang| (lang.clone(), of(lang), true))
            .collect();
        for (_, address, _) in &others {
            urls.push(SitemapUrlView {
                loc: format!("{base}{}", web_address(address)),
                lastmod: None,
                alternates: press.alternates(base, &others),
            });
        }
    }
    if let Some(text) = press
        .templates
        .render("sitemap.xml", &SitemapContext { urls }, report)
    {
        door.insert("sitemap.xml", text);
    }
}

/// Old addresses of a page, as paths in the output, with where each is written.
fn aliases<'a>(press: &Press<'a>) -> Vec<(String, &'a Page, &'a Lang, Span)> {
    let mut all = Vec::new();
    for page in &press.site.pages {
        for (lang, document) in &page.documents {
            for alias in &document.front.aliases {
                let span = document
                    .front
                    .span_of_item("aliases", alias)
                    .unwrap_or_else(|| crate::site::heading(document));
                let path = alias.trim_matches('/');
                let address = if path.ends_with(".html") {
                    format!("{lang}/{path}")
                } else {
                    format!("{lang}/{path}/index.html")
                };
                all.push((address, page, lang, span));
            }
        }
    }
    all
}

/// Gives old addresses to their redirects; an alias that leads to itself or to another is a fault.
pub(super) fn take_aliases(press: &Press<'_>, book: &mut Book, report: &mut Report) {
    let mut seen: BTreeMap<String, Span> = BTreeMap::new();
    for (alias, page, lang, span) in aliases(press) {
        if crate::source::reserved(&alias).is_some() {
            report.push(
                Diagnostic::new(
                    Code::UnsafePath,
                    format!(
                        "{} can't be an address",
                        span.text().replace(['"', '\''], "`")
                    ),
                )
                .at(span, "")
                .help("an alias is a path below the language, such as `old/name/`"),
            );
            continue;
        }
        if alias == address::of_page(page, lang) {
            report.push(
                Diagnostic::new(Code::CircularAlias, "this alias is the page's own address")
                    .at(span, "")
                    .help("leave it out: an alias is an address where the page was before"),
            );
            continue;
        }
        if let Some(earlier) = seen.get(&alias) {
            report.push(
                Diagnostic::new(Code::CircularAlias, "two pages have the same alias")
                    .at(span, "this one")
                    .at(earlier.clone(), "and this one")
                    .help("an old address can lead to one page only"),
            );
            continue;
        }
        seen.insert(alias.clone(), span.clone());
        book.take(&alias, Owner::written("this alias", span), report);
    }
}

fn redirects(press: &Press<'_>, door: &Door, report: &mut Report) {
    for (alias, page, lang, _) in aliases(press) {
        if door.contains(&alias) || crate::source::reserved(&alias).is_some() {
            continue;
        }
        let to = address::of_page(page, lang);
        let view = RedirectView {
            lang: lang.tag().to_owned(),
            dir: press.language(lang).direction().attribute(),
            root: address::root(&alias),
            csp: press.csp(),
            title: press.title(page, lang),
            url: address::relative(&alias, &to),
            canonical: press
                .order
                .base_url
                .map(|base| format!("{base}{}", web_address(&to))),
        };
        if let Some(html) = press.templates.render("redirect.html", &view, report) {
            door.insert(alias, html);
        }
    }
}
