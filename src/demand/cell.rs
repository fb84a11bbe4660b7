//! One entry of a matrix.

use super::fault::CellFault;
use crate::base::MAX_TOTAL_BYTES;

/// The bytes that a text stands for: decimal digits and nothing else.
pub(super) fn read(text: &str) -> Result<u64, CellFault> {
    let text = text.trim();
    let owned = || text.chars().take(40).collect::<String>();
    if text.is_empty() {
        return Err(CellFault::Missing);
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return match text.parse::<u64>() {
            Ok(bytes) if bytes <= MAX_TOTAL_BYTES => Ok(bytes),
            _ => Err(CellFault::TooLarge(owned())),
        };
    }
    // Words that a float parser would take (`inf`, `nan`) are no numbers here.
    if text.bytes().any(|byte| byte.is_ascii_alphabetic() && !matches!(byte, b'e' | b'E')) {
        return Err(CellFault::NotANumber(owned()));
    }
    Err(match text.parse::<f64>() {
        Ok(number) if number < 0.0 => CellFault::Negative(owned()),
        Ok(number) if number > MAX_TOTAL_BYTES as f64 => CellFault::TooLarge(owned()),
        Ok(_) => CellFault::Fraction(owned()),
        Err(_) => CellFault::NotANumber(owned()),
    })
}
