//! Placeholder room.
