//! The program table: the channels of a machine as rows that the kernels hold as constants.

use crate::base::{OrbitId, Rank, RouteId};
use crate::catalog::Catalog;
use serde::{Deserialize, Serialize};

/// One transfer of a role: where to, and on which route of the representative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    /// The receiving role.
    pub peer: Rank,
    /// The route from this role to `peer`.
    pub route: RouteId,
}

/// A channel as each rank carries it out. The ranks of a program are *roles*: a group element says
/// which rank plays which.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The family of channels; `None` for the program of all pairs.
    pub orbit: Option<OrbitId>,
    /// For each role its transfers, in order of the receiving role.
    pub rows: Vec<Vec<Transfer>>,
}

/// Every program of a machine. Program 0 is `pairs`: each rank's transfers to all others in order
/// of peer, used by steps whose channel stands in no catalog. Program `o + 1` is orbit `o`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProgramTable {
    /// In order of program number.
    pub programs: Vec<Program>,
}

impl ProgramTable {
    /// The table of a catalog. Routes that the catalog does not hold are left out; encoding a plan
    /// that needs one then fails by name.
    #[must_use]
    pub fn of(catalog: &Catalog) -> Self {
        let all = (0..catalog.routes.len()).map(RouteId::new);
        let mut programs = vec![program(catalog, None, all)];
        for (index, orbit) in catalog.strict.orbits.iter().enumerate() {
            let routes = orbit.representative.routes();
            programs.push(program(catalog, Some(OrbitId::new(index)), routes));
        }
        Self { programs }
    }

    /// The number of the program that carries out `orbit`, or `pairs` for none.
    #[must_use]
    pub fn number(orbit: Option<OrbitId>) -> usize {
        orbit.map_or(0, |orbit| orbit.index() + 1)
    }
}

fn program(
    catalog: &Catalog,
    orbit: Option<OrbitId>,
    routes: impl Iterator<Item = RouteId>,
) -> Program {
    let mut rows = vec![Vec::new(); catalog.ranks as usize];
    for id in routes {
        if let Some(route) = catalog.routes.get(id.index())
            && let Some(row) = rows.get_mut(route.src.index())
        {
            row.push(Transfer { peer: route.dst, route: id });
        }
    }
    for row in &mut rows {
        row.sort_by_key(|transfer| transfer.peer);
    }
    Program { orbit, rows }
}
