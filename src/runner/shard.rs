//! Parts of a plan for several machines: how they are written, and how array jobs number them.

/// One of several parts of a plan: whole blocks, dealt out in turn. Part `k` of `n` holds the blocks
/// whose zero-based number leaves `k − 1` when divided by `n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    pub part: u32,
    /// How many parts there are.
    pub of: u32,
}

impl Shard {
    /// Reads `2/8`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no part such as `2/8`");
        let (part, of) = text.split_once('/').ok_or_else(wrong)?;
        let part: u32 = part.trim().parse().map_err(|_| wrong())?;
        let of: u32 = of.trim().parse().map_err(|_| wrong())?;
        if part == 0 || part > of {
            return Err(format!(
                "there is no part {part} of {of}: parts are numbered from 1"
            ));
        }
        Ok(Self { part, of })
    }

    /// Whether it holds a block.
    pub fn holds(self, block: u32) -> bool {
        block % self.of == self.part - 1
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}/{}", self.part, self.of)
    }
}
