//! A strict look at pages: what elements, attributes and addresses they hold.
#![allow(unreachable_pub)] // A module of whoever looks.

use std::cell::RefCell;
use std::collections::BTreeSet;

use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

/// What a page holds.
#[derive(Debug, Default)]
pub struct Seen {
    /// Each element with each of its attributes (and with none).
    pub shapes: BTreeSet<(String, String)>,
    /// Everything that no page may hold.
    pub faults: Vec<String>,
    /// The texts of JSON-LD scripts.
    pub json: Vec<String>,
    /// The words between tags.
    pub text: String,
    script: bool,
}

struct Sink(RefCell<Seen>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut seen = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) => return seen.tag(&tag),
            Token::CharacterTokens(text) if seen.script => {
                if let Some(json) = seen.json.last_mut() {
                    json.push_str(&text);
                }
            }
            Token::CharacterTokens(text) => seen.text.push_str(&text),
            Token::CommentToken(text) => seen.faults.push(format!("a comment: {text}")),
            Token::ParseError(why) => seen.faults.push(format!("not well-formed: {why}")),
            Token::NullCharacterToken => seen.faults.push("a null character".to_owned()),
            Token::DoctypeToken(_) | Token::EOFToken => {}
        }
        TokenSinkResult::Continue
    }
}

impl Seen {
    fn tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name = tag.name.to_string();
        if tag.kind == TagKind::EndTag {
            if name == "script" {
                self.script = false;
            }
            return TokenSinkResult::Continue;
        }
        self.shapes.insert((name.clone(), String::new()));
        for attribute in &tag.attrs {
            let key = attribute.name.local.to_string();
            let value = attribute.value.to_string();
            self.attribute(&name, &key, &value);
            self.shapes.insert((name.clone(), key));
        }
        match name.as_str() {
            "script" => {
                let is_json = tag
                    .attrs
                    .iter()
                    .any(|it| &*it.name.local == "type" && &*it.value == "application/ld+json");
                if !is_json {
                    self.faults.push("a script".to_owned());
                }
                self.script = true;
                self.json.push(String::new());
                TokenSinkResult::RawData(RawKind::ScriptData)
            }
            "title" if !self.shapes.contains(&("body".to_owned(), String::new())) => {
                TokenSinkResult::RawData(RawKind::Rcdata)
            }
            "style" | "iframe" | "object" | "embed" | "base" | "form" | "input" | "button"
            | "foreignobject" | "animate" | "set" | "use" | "image" | "math" | "textarea"
            | "noscript" | "template" | "frame" | "applet" | "audio" | "video" | "source"
            | "track" | "xmp" | "plaintext" => {
                if !(name == "input" && tag.attrs.iter().any(|it| &*it.value == "checkbox")) {
                    self.faults.push(format!("an element `{name}`"));
                }
                TokenSinkResult::Continue
            }
            _ => TokenSinkResult::Continue,
        }
    }

    fn attribute(&mut self, element: &str, key: &str, value: &str) {
        if key.starts_with("on") || key == "style" || key == "srcdoc" || key == "formaction" {
            self.faults.push(format!("an attribute `{key}`"));
        }
        let refreshes = element == "meta" && key == "content" && value.starts_with("0; url=");
        if matches!(
            key,
            "href" | "src" | "xlink:href" | "action" | "data" | "poster" | "srcset" | "ping"
        ) || refreshes
        {
            let address = value.strip_prefix("0; url=").unwrap_or(value);
            if !is_harmless(address) {
                self.faults.push(format!("an address {address:?}"));
            }
        }
    }
}

/// Whether a browser reads an address as one of the web, of mail, or of the site itself.
fn is_harmless(address: &str) -> bool {
    let address: String = address
        .trim_matches(|letter: char| letter <= ' ')
        .chars()
        .filter(|letter| !matches!(letter, '\t' | '\n' | '\r'))
        .collect();
    let lower = address.to_lowercase();
    let outside = ["https://", "http://", "mailto:", "tel:"];
    if outside.iter().any(|start| lower.starts_with(start)) {
        return true;
    }
    let before_path = lower.split(['/', '?', '#']).next().unwrap_or("");
    !before_path.contains(':') && !address.starts_with(['/', '\\'])
}

/// Looks through a page.
pub fn look(html: &str) -> Seen {
    let input = BufferQueue::default();
    input.push_back(html.into());
    let options = TokenizerOpts {
        exact_errors: true,
        ..TokenizerOpts::default()
    };
    let tokenizer = Tokenizer::new(Sink(RefCell::default()), options);
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}
