//! Names of tags and attributes, made once.

use html5ever::LocalName;

/// How many names are remembered; a power of two.
const SLOTS: usize = 512;

/// Longer names are hardly ever met twice.
const LONGEST: usize = 64;

/// Shorter names need no look-up: they are held in the word itself.
const INLINE: usize = 7;

/// Remembers the names met last. To make a long one anew takes a good hash, and a lock if html5ever does not know it.
pub(super) struct Names {
    slots: Vec<LocalName>,
}

impl Names {
    pub(super) fn new() -> Self {
        Self { slots: vec![LocalName::default(); SLOTS] }
    }

    pub(super) fn get(&mut self, name: &str) -> LocalName {
        if name.len() <= INLINE || name.len() > LONGEST {
            return LocalName::from(name);
        }
        let slot = &mut self.slots[slot(name.as_bytes())];
        if **slot != *name {
            *slot = LocalName::from(name);
        }
        slot.clone()
    }
}

/// The slot of a name of at least eight bytes, by its first and its last eight.
fn slot(name: &[u8]) -> usize {
    let word = |bytes: Option<&[u8; 8]>| u64::from_le_bytes(bytes.copied().unwrap_or_default());
    let mixed = word(name.first_chunk()) ^ word(name.last_chunk()).rotate_left(29) ^ name.len() as u64;
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize % SLOTS
}
