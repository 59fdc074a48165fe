//! What every page is made with: the site, its data, its languages, its templates, its addresses.

use std::sync::{Arc, OnceLock};

use crate::content::Document;
use crate::diag::{Code, Diagnostic, Report, nearest};
use crate::site::link::{self, Target};
use crate::site::{Page, address};
use crate::text::{Lang, Language};

use super::Order;
use super::anchors::{Anchors, anchors};
use super::body::Place;
use super::shelf::Shelf;
use super::tags::Tags;
use super::templates::Templates;
use super::view::{LanguageView, LinkView, PageView, SiteView, View};

/// Pages that a site makes by itself, below each language.
pub(super) const GENERATED: [&str; 5] =
    ["experiments", "claims", "translations", "tags", "reference"];

/// What made the site.
pub(super) const GENERATOR: &str = concat!("benchbook ", env!("CARGO_PKG_VERSION"));

/// Nothing but our own files, and no script that isn't one: what makes a page safe to open from a disk.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                   base-uri 'none'; form-action 'none'";

/// What every page is made with.
#[derive(Debug)]
pub(super) struct Press<'a> {
    /// What the site is rendered from.
    pub order: &'a Order<'a>,
    /// Its experiments.
    pub shelf: &'a Shelf<'a>,
    /// Its pages.
    pub site: &'a crate::site::Site,
    /// Its templates.
    pub templates: &'a Templates,
    /// Its tags.
    pub tags: Tags,
    /// Places on pages that the site makes, as far as links lead to them.
    pub anchors: Anchors,
    /// Small pictures by experiment and language, each drawn at its first card.
    previews: Vec<OnceLock<String>>,
}

/// A page's place among the others, for its view.
#[derive(Debug, Clone)]
pub(super) struct Seat<'a> {
    /// The language of the interface.
    pub lang: &'a Lang,
    /// The address.
    pub address: String,
    /// The same page in each of the site's languages, and whether it is written in it.
    pub others: Vec<(Lang, String, bool)>,
    /// Key of the content page, if it is one.
    pub key: Option<&'a str>,
}

impl<'a> Press<'a> {
    /// Sets up.
    pub(super) fn new(order: &'a Order<'a>, templates: &'a Templates) -> Self {
        Self {
            order,
            shelf: order.shelf,
            site: order.site,
            templates,
            tags: Tags::new(order.site),
            anchors: Anchors::asked_for(order.site),
            previews: vec![OnceLock::new(); order.shelf.all().len() * order.site.languages.len()],
        }
    }

    /// An experiment's small picture in a language; `draw` is asked once.
    pub(super) fn preview(
        &self,
        experiment: usize,
        lang: &Lang,
        draw: impl FnOnce() -> String,
    ) -> String {
        let languages = &self.site.languages;
        let column = languages.iter().position(|other| other == lang);
        let place = experiment * languages.len() + column.unwrap_or_default();
        self.previews[place].get_or_init(draw).clone()
    }

    /// A language of the site.
    pub(super) fn language(&self, lang: &Lang) -> &'a Arc<Language> {
        self.order
            .languages
            .get(lang)
            .or_else(|| self.order.languages.values().next())
            .unwrap_or_else(|| unreachable!("a site has at least one language"))
    }

    /// The site's Content-Security-Policy.
    pub(super) fn csp(&self) -> &'static str {
        CSP
    }

    /// Whether the site makes this page by itself.
    pub(super) fn is_generated(&self, name: &str) -> bool {
        match name {
            "experiments" => self.order.experiment_pages && !self.shelf.all().is_empty(),
            "translations" => self.site.languages.len() > 1,
            "tags" => !self.tags.is_empty(),
            name => GENERATED.contains(&name),
        }
    }

    /// Whether a path from the site's root is copied into the output.
    pub(super) fn is_file(&self, path: &str) -> bool {
        if self.order.files.get(path).is_none() {
            return false;
        }
        if path.starts_with("content/") {
            return !path.ends_with(".md");
        }
        path.starts_with("static/")
            || (path.starts_with("data/") && !path.ends_with("/experiment.toml"))
                && !is_overlay(path)
    }

    /// Files beside a page, for suggestions, as links from it.
    pub(super) fn neighbours(&self, path: &str) -> Vec<String> {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        self.order
            .files
            .below(folder)
            .filter(|(path, _)| self.is_file(path))
            .map(|(path, _)| path[folder.len() + 1..].to_owned())
            .collect()
    }

    /// The address that a link leads to, seen from a page; else a fault that wants its place.
    pub(super) fn link(
        &self,
        target: &Target,
        place: Place<'_>,
        document: &Document,
    ) -> Result<String, Box<Diagnostic>> {
        let (to, anchor) = self.find(target, place.lang, document)?;
        let mut url = match to {
            Some(to) => address::relative(place.address, &to),
            None => String::new(),
        };
        if let Some(anchor) = anchor {
            url.push('#');
            url.push_str(&anchor);
        }
        Ok(url)
    }

    /// Address and anchor of what a link leads to; no address for a place on the same page.
    #[allow(clippy::type_complexity)] // Two options, named in the sentence above.
    fn find(
        &self,
        target: &Target,
        lang: &Lang,
        document: &Document,
    ) -> Result<(Option<String>, Option<String>), Box<Diagnostic>> {
        match target {
            Target::Anchor(anchor) => {
                check_anchor(document, anchor)?;
                Ok((None, Some(anchor.clone())))
            }
            Target::Page { key, anchor } => {
                let page = self
                    .site
                    .page(key)
                    .ok_or_else(|| Box::new(self.dead(key, &document.source.path)))?;
                if let (Some(anchor), Some(document)) = (anchor, page.document(lang)) {
                    check_anchor(document, anchor)?;
                }
                Ok((Some(address::of_page(page, lang)), anchor.clone()))
            }
            Target::Experiment { key, anchor } => {
                if self.shelf.find(key).is_none() {
                    return Err(Box::new(self.no_experiment(key)));
                }
                Ok((Some(address::of_experiment(key, lang)), anchor.clone()))
            }
            Target::Generated { name, anchor } => {
                if !self.is_generated(name) {
                    return Err(Box::new(self.not_made(name)));
                }
                Ok((Some(address::of_generated(name, lang)), anchor.clone()))
            }
            Target::File(path) => Ok((Some(file_address(path)), None)),
            Target::Dead(path) => Err(Box::new(self.dead(path, &document.source.path))),
        }
    }

    /// A fault for an experiment that isn't there.
    fn no_experiment(&self, key: &str) -> Diagnostic {
        Diagnostic::new(
            Code::UnknownExperiment,
            format!("there is no experiment `{key}`"),
        )
        .suggest(key, self.shelf.keys())
        .may_follow_from(format!("data/{key}"))
    }

    /// A fault for a page that the site doesn't make by itself.
    fn not_made(&self, name: &str) -> Diagnostic {
        let made = GENERATED.into_iter().filter(|name| self.is_generated(name));
        Diagnostic::new(
            Code::DeadLink,
            format!("the site makes no page `site:{name}`"),
        )
        .suggest(name, made)
    }

    /// A fault for a link in the file at `from` that leads to nothing at `path`.
    fn dead(&self, path: &str, from: &str) -> Diagnostic {
        if self.site.drafts.contains(path) {
            return Diagnostic::new(Code::DeadLink, format!("`{path}` is a draft"))
                .help("take `draft = true` out of its front matter, or build with `--drafts`");
        }
        let fault = Diagnostic::new(Code::DeadLink, format!("there is no `{path}`"));
        let pages = self
            .site
            .pages
            .iter()
            .filter_map(|page| page.documents.get(&page.original));
        let known: Vec<&str> = pages.map(|document| &*document.source.path).collect();
        // What all pages have in common says nothing of which one was meant.
        let names = known.iter().map(|path| page_name(path));
        let near = nearest(page_name(path), names)
            .and_then(|near| known.iter().find(|path| page_name(path) == near));
        let fault = match near {
            Some(near) => fault.help(format!("did you mean `{}`?", address::way(from, near))),
            None => fault.help("a link runs from its Markdown file, such as `../other/index.md`"),
        };
        // A page that is there but can't be read has been reported itself.
        fault.may_follow_from(path)
    }

    /// The view of a page in its place; fields that the kind of page doesn't have stay empty.
    pub(super) fn view(&self, seat: &Seat<'_>, mut page: PageView) -> View {
        let language = self.language(seat.lang);
        let base = self.order.base_url;
        let is_translation = seat
            .others
            .iter()
            .any(|(lang, _, own)| lang == seat.lang && *own);
        if let Some(base) = base {
            if page.canonical.is_none() {
                page.canonical = Some(format!("{base}{}", web_address(&seat.address)));
            }
            if is_translation && seat.others.iter().filter(|(.., own)| *own).count() > 1 {
                page.alternates = self.alternates(base, &seat.others);
            }
        }
        View {
            site: self.site_view(seat),
            page,
            lang: seat.lang.tag().to_owned(),
            dir: language.direction().attribute(),
            root: address::root(&seat.address),
        }
    }

    /// The same page in all languages it is written in, with the default for all others.
    pub(super) fn alternates(
        &self,
        base: &str,
        others: &[(Lang, String, bool)],
    ) -> Vec<super::view::AlternateView> {
        let own = others.iter().filter(|(.., own)| *own);
        let mut all: Vec<super::view::AlternateView> = own
            .clone()
            .map(|(lang, address, _)| super::view::AlternateView {
                hreflang: lang.tag().to_owned(),
                url: format!("{base}{}", web_address(address)),
            })
            .collect();
        if let Some((_, address, _)) = own.clone().next() {
            all.push(super::view::AlternateView {
                hreflang: "x-default".to_owned(),
                url: format!("{base}{}", web_address(address)),
            });
        }
        all
    }

    fn site_view(&self, seat: &Seat<'_>) -> SiteView {
        let lang = seat.lang;
        let from = seat.address.as_str();
        let generated = |name: &str| {
            if self.is_generated(name) {
                address::relative(from, &address::of_generated(name, lang))
            } else {
                String::new()
            }
        };
        SiteView {
            title: self.order.title.get(lang).to_owned(),
            description: self.order.description.get(lang).to_owned(),
            home: address::relative(from, &format!("{lang}/index.html")),
            menu: self.menu(seat),
            languages: seat
                .others
                .iter()
                .map(|(other, to, own)| {
                    let language = self.language(other);
                    LanguageView {
                        tag: other.tag().to_owned(),
                        name: language.name().to_owned(),
                        dir: language.direction().attribute(),
                        url: address::relative(from, to),
                        current: other == lang,
                        translated: *own,
                        site_title: self.order.title.get(other).to_owned(),
                    }
                })
                .collect(),
            feed: if self.order.base_url.is_some() {
                address::relative(from, &format!("{lang}/feed.xml"))
            } else {
                String::new()
            },
            experiments: generated("experiments"),
            claims: generated("claims"),
            tags: generated("tags"),
            translations: generated("translations"),
            generator: GENERATOR.to_owned(),
            csp: CSP,
        }
    }

    /// The menu as written in site.toml, else the top sections and pages.
    fn menu(&self, seat: &Seat<'_>) -> Vec<LinkView> {
        let written = self.order.menu.iter().filter_map(|(target, _)| {
            let resolved = link::resolve(self.site, "content/_index.md", target, |path| {
                self.is_file(path)
            });
            self.menu_link(&resolved, seat)
        });
        if !self.order.menu.is_empty() {
            return written.collect();
        }
        let target = |page: &Page| Target::Page {
            key: page.key.clone(),
            anchor: None,
        };
        self.site
            .children("")
            .filter_map(|page| self.menu_link(&target(page), seat))
            .collect()
    }

    /// A menu entry; `None` for targets that don't exist (they are reported once, elsewhere).
    fn menu_link(&self, target: &Target, seat: &Seat<'_>) -> Option<LinkView> {
        let language = self.language(seat.lang);
        let (title, to, current) = match target {
            Target::Page { key, .. } => {
                let page = self.site.page(key)?;
                let inside = |own: &str| {
                    !key.is_empty()
                        && own
                            .strip_prefix(key.as_str())
                            .is_some_and(|rest| rest.starts_with('/'))
                };
                (
                    self.title(page, seat.lang),
                    address::of_page(page, seat.lang),
                    seat.key.is_some_and(|own| own == key || inside(own)),
                )
            }
            Target::Generated { name, .. } if self.is_generated(name) => {
                let to = address::of_generated(name, seat.lang);
                let folder = to.trim_end_matches("index.html");
                let current = seat.address.starts_with(folder);
                (language.message(name).to_owned(), to, current)
            }
            Target::Experiment { key, .. } if self.order.experiment_pages => {
                let experiment = self.shelf.experiment(self.shelf.find(key)?);
                let to = address::of_experiment(key, seat.lang);
                let current = seat.address == to;
                let title = experiment.definition.title.get(seat.lang);
                (title.to_owned(), to, current)
            }
            _ => return None,
        };
        Some(LinkView {
            title,
            url: address::relative(&seat.address, &to),
            current,
        })
    }

    /// Reports entries of the menu that lead nowhere, or to what no menu can show.
    pub(super) fn check_menu(&self, report: &mut Report) {
        const FROM: &str = "content/_index.md";
        for (target, span) in self.order.menu {
            let inside = |path: &str| self.is_file(path);
            let fault = match link::resolve(self.site, FROM, target, inside) {
                Target::Page { key, .. } if self.site.page(&key).is_some() => continue,
                Target::Generated { name, .. } if self.is_generated(&name) => continue,
                Target::Generated { name, .. } => self.not_made(&name),
                Target::Experiment { key, .. } if self.shelf.find(&key).is_some() => continue,
                Target::Experiment { key, .. } => self.no_experiment(&key),
                Target::Dead(path) if !target.contains(':') => self.dead(&path, FROM),
                Target::Page { key, .. } => self.dead(&key, FROM),
                _ => Diagnostic::new(Code::DeadLink, format!("a menu can't lead to `{target}`"))
                    .help(
                        "name a page by its path below `content/`, or one like `site:experiments`",
                    ),
            };
            report.push(fault.at(span.clone(), ""));
        }
    }

    /// A page's title in a language; a section without text is called by its folder's name.
    pub(super) fn title(&self, page: &Page, lang: &Lang) -> String {
        match page.document(lang) {
            Some(document) => document.front.title.clone(),
            None if page.key.is_empty() => self.order.title.get(lang).to_owned(),
            None => {
                let name = page.key.rsplit('/').next().unwrap_or(&page.key);
                let known = self.language(lang).known(name);
                known.map_or_else(|| name.replace(['-', '_'], " "), str::to_owned)
            }
        }
    }
}

/// A page's path without what all have: `articles/power-plans` for its `index.md`.
fn page_name(path: &str) -> &str {
    let path = path.strip_prefix("content/").unwrap_or(path);
    let path = path.strip_suffix(".md").unwrap_or(path);
    path.strip_suffix("/index").unwrap_or(path)
}

fn check_anchor(document: &Document, anchor: &str) -> Result<(), Box<Diagnostic>> {
    let known = anchors(document);
    if known.iter().any(|(known, _)| known == anchor) {
        return Ok(());
    }
    let fault = Diagnostic::new(
        Code::DeadAnchor,
        format!("`{}` has no place `{anchor}`", document.source.path),
    );
    Err(Box::new(fault.suggest(
        anchor,
        known.iter().map(|(known, _)| known.as_str()),
    )))
}

/// `experiment.de.toml` and the like: labels, of no use to a reader.
fn is_overlay(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with("experiment.") && name.ends_with(".toml")
}

/// Where a file of the site stands in the output.
pub(super) fn file_address(path: &str) -> String {
    if path.starts_with("content/") {
        address::of_asset(path)
    } else {
        path.to_owned()
    }
}

/// An address as servers know it: without `index.html`, with its bytes escaped.
pub(super) fn web_address(path: &str) -> String {
    let path = path.strip_suffix("index.html").unwrap_or(path);
    address::escape(path)
}
