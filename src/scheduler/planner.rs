//! The planner: tables of one machine, and plans for one demand after the other.

use super::list::{Schedule, WEIGHTS, Work};
use super::order::{Scratch, pieces};
use super::tables::{MAX_RANKS, Tables};
use crate::base::{Demand, Digest, Picos, UnitOverflow};
use crate::catalog::{BoundTables, Bounds, Catalog, Plan};

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The demand has another number of ranks than the machine.
    #[error("the demand has {demand} ranks, the machine {machine}")]
    Ranks {
        /// Ranks of the demand.
        demand: usize,
        /// Ranks of the machine.
        machine: u32,
    },
    /// The machine has more ranks than the planner holds.
    #[error("the machine has {ranks} ranks; the planner supports {MAX_RANKS}")]
    TooManyRanks {
        /// Ranks of the machine.
        ranks: u32,
    },
    /// A route of the catalog crosses a link that does not exist, has no capacity or is narrower
    /// than the route's rate, or a route is missing.
    #[error("the catalog does not fit its own links and ranks")]
    Catalog,
    /// A time leaves the range of picoseconds.
    #[error(transparent)]
    Overflow(#[from] UnitOverflow),
    /// The plan is shorter than its lower bound: an error in the planner.
    #[error("a plan of {} ps beats its bound of {} ps", makespan.0, bound.0)]
    BeatsBound {
        /// The plan's length.
        makespan: Picos,
        /// The bound.
        bound: Picos,
    },
}

/// Plans demands on one machine. Plans depend on the catalog and the demand alone.
#[derive(Debug, Clone)]
pub struct Planner {
    digest: Digest,
    ranks: u32,
    bounds: BoundTables,
    engine: Engine,
}

/// The least word sets that hold the routes; small machines plan faster with small ones.
#[derive(Debug, Clone)]
enum Engine {
    One(Box<State<1>>),
    Two(Box<State<2>>),
    Four(Box<State<4>>),
}

/// Tables and working memory.
#[derive(Debug, Clone)]
struct State<const W: usize> {
    tables: Tables<W>,
    work: Work<W>,
    best: Schedule,
    trial: Schedule,
    loads: Vec<u64>,
    scratch: Scratch<W>,
}

impl Planner {
    /// Prepares the tables of a machine.
    ///
    /// # Errors
    /// [`PlanError::TooManyRanks`] beyond 16 ranks, [`PlanError::Catalog`] for a catalog that
    /// contradicts itself.
    pub fn new(catalog: &Catalog) -> Result<Self, PlanError> {
        let ranks = catalog.ranks;
        if ranks > MAX_RANKS {
            return Err(PlanError::TooManyRanks { ranks });
        }
        if catalog.routes.len() != (ranks * ranks.saturating_sub(1)) as usize
            || catalog.routes.iter().any(|r| r.src == r.dst || r.src.0.max(r.dst.0) >= ranks)
        {
            return Err(PlanError::Catalog);
        }
        let engine = match catalog.routes.len() {
            0..=64 => Engine::One(Box::new(State::new(catalog)?)),
            65..=128 => Engine::Two(Box::new(State::new(catalog)?)),
            _ => Engine::Four(Box::new(State::new(catalog)?)),
        };
        let digest = catalog.digest.clone();
        Ok(Self { digest, ranks, bounds: BoundTables::new(catalog), engine })
    }

    /// A plan of `demand`: every pair's bytes in one piece at the route's solo rate. The working
    /// memory is kept between calls; it does not change results.
    ///
    /// # Errors
    /// [`PlanError::Ranks`] for a demand of another size, [`PlanError::Overflow`] when all
    /// transfers one after the other would last longer than 2^64 - 1 ps.
    pub fn plan(&mut self, demand: &Demand) -> Result<Plan, PlanError> {
        if demand.ranks() != self.ranks as usize {
            return Err(PlanError::Ranks { demand: demand.ranks(), machine: self.ranks });
        }
        let bounds = self.bounds.bounds(demand)?;
        let mut plan = Plan {
            digest: self.digest.clone(),
            ranks: self.ranks,
            bytes: demand.total(),
            pieces: Vec::new(),
            steps: Vec::new(),
            makespan: Picos(0),
            bounds,
        };
        match &mut self.engine {
            Engine::One(state) => state.plan(demand, &mut plan),
            Engine::Two(state) => state.plan(demand, &mut plan),
            Engine::Four(state) => state.plan(demand, &mut plan),
        }?;
        let Bounds { t_star, t_eff, .. } = plan.bounds;
        if plan.makespan < t_eff.max(t_star) {
            return Err(PlanError::BeatsBound {
                makespan: plan.makespan,
                bound: t_eff.max(t_star),
            });
        }
        Ok(plan)
    }
}

impl<const W: usize> State<W> {
    fn new(catalog: &Catalog) -> Result<Self, PlanError> {
        let tables = Tables::new(catalog)?;
        let count = tables.entries.len();
        Ok(Self {
            work: Work::new(&tables),
            best: Schedule::new(count),
            trial: Schedule::new(count),
            loads: Vec::with_capacity(tables.links),
            scratch: Scratch::new(&tables),
            tables,
        })
    }

    fn plan(&mut self, demand: &Demand, plan: &mut Plan) -> Result<(), PlanError> {
        self.work.fill(&self.tables, demand)?;
        let bound = plan.bounds.t_eff.0;
        let near = bound.saturating_add(bound / 100);
        for (tried, weights) in WEIGHTS.into_iter().enumerate() {
            self.work.run(&self.tables, weights, &mut self.trial, &mut self.loads);
            if tried == 0 || self.trial.makespan < self.best.makespan {
                std::mem::swap(&mut self.best, &mut self.trial);
            }
            if self.best.makespan <= near {
                break;
            }
        }
        let (tables, work) = (&self.tables, &self.work);
        (plan.pieces, plan.steps) = pieces(tables, work, &self.best, demand, &mut self.scratch);
        plan.makespan = Picos(self.best.makespan);
        Ok(())
    }
}
