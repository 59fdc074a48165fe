//! What `site.toml` says; each field names the room that receives it.
