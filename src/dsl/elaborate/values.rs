//! Rates in bytes a second, latencies in nanoseconds.

use super::scopes::Known;
use super::{Builder, Reported, place};
use crate::base::{BytesPerSecond, Nanos, Span};
use crate::dsl::error::{Error, MAX_RATE, Sought};
use crate::dsl::machine::{LinkValue, ValueOrigin};
use crate::dsl::tree::{Decimal, Latency, Origin, Rate, RateUnit, Spanned, Value};

/// Payload of one PCIe lane in bytes a second. Generations 3, 4 and 5 are measured on x16: 12, 26.3
/// and 55 GB/s; the others follow from their neighbour by the ratio of the raw rates, and say so.
fn lane(generation: u32) -> (u64, Option<&'static str>) {
    match generation {
        1 => (187_500_000, Some("pcie gen1 taken as a quarter of gen3")),
        2 => (375_000_000, Some("pcie gen2 taken as half of gen3")),
        3 => (750_000_000, None),
        4 => (1_643_750_000, None),
        5 => (3_437_500_000, None),
        6 => (6_875_000_000, Some("pcie gen6 taken as twice gen5")),
        _ => (13_750_000_000, Some("pcie gen7 taken as four times gen5")),
    }
}

/// What `pcie genG xW` carries, and why the figure is only assumed, where it is.
#[must_use]
pub fn pcie_rate(generation: u32, width: u32) -> (BytesPerSecond, Option<&'static str>) {
    let (bytes, assumed) = lane(generation);
    (BytesPerSecond(bytes * u64::from(width)), assumed)
}

/// A `link` statement: the scope that declares it, and its name.
pub(super) type Kind<'t> = (usize, &'t str);

/// What a link is worth, and the `link` statement that the figure comes from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Worth<'t> {
    pub(super) value: LinkValue,
    pub(super) kind: Option<Kind<'t>>,
}

pub(super) fn origin_of(origin: &Origin) -> ValueOrigin {
    match origin {
        Origin::Assumed(why) => {
            ValueOrigin::Assumed(why.clone().unwrap_or_else(|| "no reason given".to_owned()))
        }
        Origin::From(source) => ValueOrigin::From(source.clone()),
    }
}

/// `number * unit`, rounded down; `None` beyond 64 bits.
fn scaled(number: Decimal, unit: u64) -> Option<u64> {
    let product = u128::from(number.digits) * u128::from(unit);
    u64::try_from(product / 10_u128.checked_pow(number.places)?).ok()
}

/// `Err` above one second. Rounded up: a latency is a cost.
fn nanos(latency: &Latency) -> Option<Nanos> {
    let unit = if latency.microseconds { 1000 } else { 1 };
    let product = u128::from(latency.number.digits) * unit;
    let nanos = product.div_ceil(10_u128.checked_pow(latency.number.places)?);
    u64::try_from(nanos).ok().filter(|nanos| *nanos <= 1_000_000_000).map(Nanos)
}

impl<'t> Builder<'t> {
    /// What `value` comes to where it stands in `scope`.
    pub(super) fn value(&mut self, scope: usize, value: &Value) -> Result<LinkValue, Reported> {
        let at = place(value.rate.span);
        let mut result = match &value.rate.value {
            Rate::Named(name) => {
                let Some((owner, name)) = self.find_link(scope, name) else {
                    let spanned = Spanned { value: name.clone(), span: value.rate.span };
                    return Err(self.report(self.unknown(scope, &spanned, Sought::Link)));
                };
                self.named_value(owner, name)?
            }
            rate => self.plain_rate(rate, at)?,
        };
        result.written = value.rate.span;
        if let Some(latency) = &value.latency {
            result.latency = self.time(latency, at)?;
        }
        if let Some(origin) = &value.origin {
            result.origin = origin_of(origin);
        }
        Ok(result)
    }

    /// What `value` comes to where it stands in `instance`, and the kind of link it names.
    pub(super) fn worth(&mut self, instance: usize, value: &Value) -> Result<Worth<'t>, Reported> {
        let scope = self.instances[instance].scope;
        let kind = match &value.rate.value {
            Rate::Named(name) => self.find_link(scope, name),
            _ => None,
        };
        Ok(Worth { value: self.value(scope, value)?, kind })
    }

    /// A time of at most one second.
    pub(super) fn time(&mut self, time: &Latency, at: Span) -> Result<Nanos, Reported> {
        nanos(time).ok_or_else(|| self.report(Error::AbsurdLatency { at }))
    }

    /// What a rate that stands in an attribute comes to.
    pub(super) fn bare_rate(
        &mut self,
        scope: usize,
        rate: &Rate,
        origin: Option<&Origin>,
        at: Option<Span>,
    ) -> Result<LinkValue, Reported> {
        let rate = Spanned { value: rate.clone(), span: at };
        self.value(scope, &Value { rate, latency: None, origin: origin.cloned() })
    }

    /// The value of link `name`, which `scope` declares. Follows chains of names with a list
    /// rather than by recursion: a file may chain as many as it likes.
    pub(super) fn named_value(
        &mut self,
        scope: usize,
        name: &'t str,
    ) -> Result<LinkValue, Reported> {
        let mut chain: Vec<(usize, &'t str)> = Vec::new();
        let mut next = Some((scope, name));
        while let Some((scope, name)) = next {
            let Some(named) = self.scopes[scope].links.get_mut(name) else { break };
            match named.known {
                Known::Done(_) => break,
                Known::Underway => {
                    let (at, name) = (place(named.value.rate.span), name.to_owned());
                    self.report(Error::LinkCycle { at, name });
                    for (scope, name) in chain {
                        if let Some(named) = self.scopes[scope].links.get_mut(name) {
                            named.known = Known::Done(None);
                        }
                    }
                    return Err(Reported);
                }
                Known::NotYet => named.known = Known::Underway,
            }
            chain.push((scope, name));
            let value: &'t Value = named.value;
            next = match &value.rate.value {
                Rate::Named(other) => self.find_link(scope, other),
                _ => None,
            };
        }
        // The last of the chain depends on nothing that is not done.
        for (scope, name) in chain.into_iter().rev() {
            let Some(value) = self.scopes[scope].links.get(name).map(|named| named.value) else {
                continue;
            };
            let result = self.value(scope, value).ok();
            if let Some(named) = self.scopes[scope].links.get_mut(name) {
                named.known = Known::Done(result);
            }
        }
        match self.scopes[scope].links.get(name).map(|named| &named.known) {
            Some(Known::Done(Some(value))) => Ok(value.clone()),
            _ => Err(Reported),
        }
    }

    fn plain_rate(&mut self, rate: &Rate, at: Span) -> Result<LinkValue, Reported> {
        let mut origin = ValueOrigin::Stated;
        let pcie = match rate {
            Rate::Pcie { generation, width } => Some((*generation, *width)),
            _ => None,
        };
        let rate = match rate {
            Rate::Number(number, unit) => {
                let unit = match unit {
                    RateUnit::GigabytesPerSecond => 1_000_000_000,
                    RateUnit::GibibytesPerSecond => 1 << 30,
                    RateUnit::MegabytesPerSecond => 1_000_000,
                    RateUnit::GigabitsPerSecond => 125_000_000,
                };
                let rate = scaled(*number, unit).unwrap_or(u64::MAX);
                if rate == 0 {
                    return Err(self.report(Error::ZeroRate { at }));
                }
                if rate > MAX_RATE {
                    let rate = match rate {
                        u64::MAX => "this".to_owned(),
                        rate => BytesPerSecond(rate).to_string(),
                    };
                    return Err(self.report(Error::AbsurdRate { at, rate }));
                }
                Some(BytesPerSecond(rate))
            }
            Rate::Pcie { generation, width } => {
                let (rate, assumed) = pcie_rate(*generation, *width);
                if let Some(why) = assumed {
                    origin = ValueOrigin::Assumed(why.to_owned());
                }
                Some(rate)
            }
            // Names were looked up by the caller.
            Rate::Named(_) | Rate::Unknown => None,
        };
        let figure = Some(at);
        Ok(LinkValue { rate, latency: Nanos(0), origin, pcie, figure, written: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pcie_is_exact() {
        assert_eq!(pcie_rate(3, 16), (BytesPerSecond(12_000_000_000), None));
        assert_eq!(pcie_rate(4, 16), (BytesPerSecond(26_300_000_000), None));
        assert_eq!(pcie_rate(4, 8), (BytesPerSecond(13_150_000_000), None));
        assert_eq!(pcie_rate(5, 16), (BytesPerSecond(55_000_000_000), None));
        assert_eq!(pcie_rate(5, 1), (BytesPerSecond(3_437_500_000), None));
        assert_eq!(
            pcie_rate(6, 16),
            (BytesPerSecond(110_000_000_000), Some("pcie gen6 taken as twice gen5"))
        );
    }

    #[test]
    fn units() {
        assert_eq!(scaled(Decimal { digits: 263, places: 1 }, 1_000_000_000), Some(26_300_000_000));
        assert_eq!(scaled(Decimal { digits: 200, places: 0 }, 125_000_000), Some(25_000_000_000));
        assert_eq!(scaled(Decimal { digits: u64::MAX, places: 0 }, 1 << 30), None);
        let half = Latency { number: Decimal { digits: 5, places: 1 }, microseconds: false };
        assert_eq!(nanos(&half), Some(Nanos(1)));
    }
}
