//! Who stands at which address of the output, told before anything is overwritten.

use crate::content::Document;
use crate::diag::{Code, Diagnostic, Report, Span};
use crate::output::Door;
use crate::site::address::{self, Book, Owner};
use crate::source::reserved;

use super::press::{GENERATED, Press, file_address};
use super::{feeds, lists};

/// Gives every address to its owner; collisions, and addresses that some systems can't have, go to
/// the report.
pub(super) fn take(press: &Press<'_>, report: &mut Report) {
    let mut book = Book::default();
    made(press, &mut book, report);
    pages(press, &mut book, report);
    feeds::take_aliases(press, &mut book, report);
    files(press, &mut book, report);
}

/// What the site makes by itself.
fn made(press: &Press<'_>, book: &mut Book, report: &mut Report) {
    let mut machine = vec!["index.html", "robots.txt"];
    if press.order.base_url.is_some() {
        machine.push("sitemap.xml");
    }
    for address in machine {
        book.take(address, Owner::made(format!("`{address}`")), report);
    }
    for lang in &press.site.languages {
        for name in GENERATED
            .into_iter()
            .filter(|name| press.is_generated(name))
        {
            let owner = Owner::made(format!("the page `site:{name}`"));
            book.take(&address::of_generated(name, lang), owner, report);
        }
        let owner = Owner::made("the page for dead addresses");
        book.take(&format!("{lang}/404.html"), owner, report);
        if press.order.base_url.is_some() {
            let owner = Owner::made("the feed");
            book.take(&format!("{lang}/feed.xml"), owner, report);
        }
        if press.is_generated("experiments") {
            for key in press.shelf.keys() {
                let owner = Owner::made(format!("the page of the experiment `{key}`"));
                book.take(&address::of_experiment(key, lang), owner, report);
            }
        }
        for (tag, slug) in press.tags.in_language(lang) {
            let owner = Owner::made(format!("the page of the tag `{tag}`"));
            book.take(&lists::tag_address(slug, lang), owner, report);
        }
    }
}

fn pages(press: &Press<'_>, book: &mut Book, report: &mut Report) {
    for page in &press.site.pages {
        for lang in &press.site.languages {
            let document = page.document(lang);
            let address = address::of_page(page, lang);
            let owner = match document {
                Some(document) => {
                    Owner::written(format!("`{}`", document.source.path), name_place(document))
                }
                None => Owner::file(&format!("content/{}", page.key)),
            };
            if let Some(why) = reserved(&address) {
                report.push(unsafe_page(&address, why, document));
            } else {
                book.take(&address, owner, report);
            }
        }
    }
}

/// What gives a page its address: its slug, else the page as a whole.
fn name_place(document: &Document) -> Span {
    let slug = document.front.span_of("slug");
    slug.map_or_else(|| crate::site::heading(document), Clone::clone)
}

/// A page whose address can't be had, with the place that gives it.
fn unsafe_page(address: &str, why: &str, document: Option<&Document>) -> Diagnostic {
    let fault = Diagnostic::new(Code::UnsafePath, format!("`{address}` {why}"));
    let Some(document) = document else {
        return fault.in_file(address);
    };
    let fault = fault.at(name_place(document), "");
    fault.help(match document.front.slug {
        Some(_) => "choose another slug",
        None => "rename the file, or give it a `slug`",
    })
}

fn files(press: &Press<'_>, book: &mut Book, report: &mut Report) {
    for (name, _) in press.order.statics {
        let path = format!("static/{name}");
        // A site's own file of the same name takes its place.
        if press.order.files.get(&path).is_none() {
            book.take(&path, Owner::made(format!("`{path}`")), report);
        }
    }
    for path in press.order.files.paths().filter(|path| press.is_file(path)) {
        book.take(&file_address(path), Owner::file(path), report);
    }
}

/// A path that leaves its folder, or that some system can't have, was withheld at the door, wherever
/// it came from.
pub(super) fn report_withheld(door: &Door, report: &mut Report) {
    for (path, why) in door.withheld() {
        report.push(Diagnostic::new(Code::UnsafePath, format!("`{path}` {why}")).in_file(path));
    }
}
