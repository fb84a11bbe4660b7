//! Bounds of a demand with `T*` over all routes.

use super::catalog_of::{fits_outline, outline};
use super::t_star::{Certificate, TStar, TStarError, t_star};
use crate::base::{Demand, LinkId, UnitOverflow};
use crate::catalog::{BoundTables, Bounds, Catalog};
use crate::diagnostics::{Diagnostic, Diagnostics, Exit};
use crate::topology::{Route, Topology};

/// Bounds, and what proves `T*` where pairs have several routes.
#[derive(Debug, Clone, PartialEq)]
pub struct RaisedBounds {
    /// The bounds. Where weights of several resources prove the critical one, its link is that with the
    /// most of weight times capacity.
    pub bounds: Bounds,
    /// What proves `T*`; nothing where each pair has one route, and where there are more routes than a
    /// program takes: then `T*` counts what every route of a pair takes, and may be low.
    pub certificate: Option<Certificate>,
    /// Whether pairs have several routes.
    pub has_alternatives: bool,
    /// Whether `T_eff` was sought. Of a machine with more routes than are listed it is no more than
    /// `T*`.
    pub has_t_eff: bool,
}

/// What bounds of demands need of a machine, worked out once.
#[derive(Debug)]
pub struct Bounder<'a> {
    topology: &'a Topology,
    /// Nothing where there are too many routes to list.
    tables: Option<BoundTables>,
    has_alternatives: bool,
}

impl<'a> Bounder<'a> {
    /// The tables of a machine of one node or of several.
    ///
    /// # Errors
    /// What this version does not analyze of the machine (exit 3; exit 1 for a single rank).
    pub fn new(topology: &'a Topology) -> Result<Self, Diagnostics> {
        if fits_outline(topology) {
            return Ok(Self::of(topology, &outline(topology)?));
        }
        let refused = super::unsupported(topology);
        if !refused.is_empty() {
            return Err(refused);
        }
        let has_alternatives = topology.has_alternatives();
        Ok(Self { topology, tables: None, has_alternatives })
    }

    /// The tables of a machine whose catalog or outline is there already.
    #[must_use]
    pub fn of(topology: &'a Topology, catalog: &Catalog) -> Self {
        let tables = Some(BoundTables::new(catalog));
        Self { topology, tables, has_alternatives: catalog.has_alternatives() }
    }

    /// The bounds of `demand`: those of [`crate::catalog::bounds`], with `T*` raised to the least time
    /// over all routes where pairs have several. No strict plan is faster than that, so that `T_eff` is
    /// no less.
    ///
    /// # Errors
    /// [`TStarError`] when a program fails or a time leaves its range, and where neither all routes are
    /// listed nor a program takes them.
    pub fn bounds(&self, demand: &Demand) -> Result<RaisedBounds, TStarError> {
        let bounds = match &self.tables {
            Some(tables) => tables.bounds(demand)?,
            None => Bounds::default(),
        };
        let mut raised = RaisedBounds {
            bounds,
            certificate: None,
            has_alternatives: self.has_alternatives,
            has_t_eff: self.tables.is_some(),
        };
        if self.tables.is_some() && !self.has_alternatives {
            return Ok(raised);
        }
        match t_star(self.topology, demand) {
            Ok(found) => self.raise(&mut raised, found),
            Err(TStarError::TooLarge) if self.tables.is_some() => {}
            Err(error) => return Err(error),
        }
        Ok(raised)
    }

    /// As [`Self::bounds`], with a failure in words (exit 3).
    ///
    /// # Errors
    /// As there.
    pub fn required(&self, demand: &Demand) -> Result<RaisedBounds, Diagnostic> {
        self.bounds(demand).map_err(|error| {
            let diagnostic = Diagnostic::error("no-bound", error.to_string()).exit(Exit::Failed);
            match error {
                TStarError::TooLarge => diagnostic
                    .help("let each GPU take its nearest cards only, or look at fewer nodes"),
                TStarError::Overflow(UnitOverflow) => {
                    diagnostic.help("give a demand that takes less than 200 days")
                }
                TStarError::Lp(_) => diagnostic,
            }
        })
    }

    fn raise(&self, raised: &mut RaisedBounds, found: TStar) {
        let bounds = &mut raised.bounds;
        bounds.t_star = bounds.t_star.max(found.time);
        if found.time > bounds.t_eff {
            bounds.t_eff = found.time;
            bounds.alone = None;
            match &found.certificate {
                Certificate::Link(link) => bounds.critical_link = Some(*link),
                Certificate::Weights { resources, .. } => {
                    let share = |&(id, weight): &(LinkId, u64)| {
                        let capacity = self.topology.resources[id.index()].capacity;
                        u128::from(weight) * u128::from(capacity.map_or(0, |rate| rate.0))
                    };
                    // The first of equals.
                    let heaviest = resources.iter().rev().max_by_key(|entry| share(entry));
                    bounds.critical_link = heaviest.map(|entry| entry.0).or(bounds.critical_link);
                }
                Certificate::Pair(src, dst) => {
                    let routes: Vec<_> = self.topology.routes_between(*src, *dst).collect();
                    let taken = routes.iter().flat_map(Route::takes);
                    let narrowest =
                        taken.min_by_key(|id| self.topology.resources[id.index()].capacity);
                    bounds.critical_link = narrowest.or(bounds.critical_link);
                    bounds.alone = Some((*src, *dst));
                }
                Certificate::Nothing => {}
            }
        }
        raised.certificate = Some(found.certificate);
    }
}
