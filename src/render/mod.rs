//! The one room where words meet numbers: blocks, inline values, claims, pages.

pub mod view;
