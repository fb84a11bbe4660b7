//! Sizes and numbers of specifications, by integer arithmetic.

/// A number of bytes as people write it: `1MiB`, `0.5MiB`, `4 KB`, `100`. A fraction of a unit is
/// rounded down to whole bytes.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = (&text[..end], text[end..].trim_start());
    let factor: u128 = match unit {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        _ => {
            return Err(format!(
                "`{unit}` is no unit of size; write B, KiB, MiB, GiB, KB, MB or GB"
            ));
        }
    };
    let (digits, places) = decimal(number).ok_or("a size is a number and a unit, as in 1MiB")?;
    if factor == 1 && places > 0 {
        return Err("bytes are whole".to_owned());
    }
    // At most 18 digits times 2^30, far below 2^128.
    u64::try_from(u128::from(digits) * factor / 10u128.pow(places))
        .map_err(|_| "more bytes than 64 bits hold".to_owned())
}

/// A non-negative decimal of at most 18 digits as (all digits, number of decimals).
fn decimal(text: &str) -> Option<(u64, u32)> {
    let (whole, rest) = match text.split_once('.') {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None => (text, ""),
    };
    if whole.is_empty() || rest.contains('.') || whole.len() + rest.len() > 18 {
        return None;
    }
    let digits = format!("{whole}{rest}").parse().ok()?;
    Some((digits, u32::try_from(rest.len()).ok()?))
}

/// A whole number within `least..=most`.
pub(super) fn whole(text: &str, least: u64, most: u64) -> Result<u64, String> {
    match text.parse::<u64>() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ if most == u64::MAX => Err("not a whole number from 0 to 2^64 - 1".to_owned()),
        _ => Err(format!("not a whole number from {least} to {most}")),
    }
}

/// A decimal within `0..=most`.
pub(super) fn real(text: &str, most: u32) -> Result<f64, String> {
    let why = || format!("not a decimal from 0 to {most}");
    decimal(text).ok_or_else(why)?;
    match text.parse::<f64>() {
        Ok(number) if number <= f64::from(most) => Ok(number),
        _ => Err(why()),
    }
}
