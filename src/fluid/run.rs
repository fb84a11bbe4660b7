//! Transfers in time: which run when, and how long each takes.

use super::Shares;
use crate::base::{Bytes, Picos, UnitOverflow};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// With more flows than this at once, ends that lie within a 4096th of the time are taken together:
/// each flow still ends when it would at the rates of before, but what it leaves is shared again only
/// then. With fewer every end counts by itself.
pub const MANY: usize = 4096;
/// The part of the time, as a shift.
const PART: u32 = 12;

/// Something that takes time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Task {
    /// The flow that it runs over, a position in [`Shares::flows`]; a task without one carries nothing.
    pub flow: Option<u32>,
    /// What it carries.
    pub bytes: Bytes,
    /// The tasks (positions) that end before it starts.
    pub after: Vec<u32>,
    /// How long it takes, once all those have ended, before its bytes start to move.
    pub delay: Picos,
    /// The queue in which it waits then.
    pub queue: Option<u32>,
}

/// A queue lets so many of its tasks run at once, in the order in which they stand in the list of tasks:
/// none overtakes one that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queue {
    /// At least 1.
    pub width: u32,
}

/// What came of all tasks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Timeline {
    /// When the bytes of each task began to move.
    pub starts: Vec<Picos>,
    /// When each task ended, rounded up.
    pub ends: Vec<Picos>,
}

impl Timeline {
    /// When the last task ended.
    #[must_use]
    pub fn makespan(&self) -> Picos {
        self.ends.iter().copied().max().unwrap_or_default()
    }
}

/// Why tasks have no end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Stuck {
    /// Tasks wait for each other.
    #[error("transfer {0} waits for itself")]
    Circle(usize),
    /// A time leaves its range.
    #[error(transparent)]
    Overflow(#[from] UnitOverflow),
}

/// Bytes times 10^12: what is carried at a whole rate in whole picoseconds is a whole number of them.
const FINE: u128 = 1_000_000_000_000;

/// Carries all tasks out; `observe` is told of each stretch of time in which rates hold: its start, its
/// end, and which tasks run, at which rates in bytes a second.
///
/// # Errors
/// [`Stuck`].
pub fn run(
    shares: &Shares,
    tasks: &[Task],
    queues: &[Queue],
    mut observe: impl FnMut(Picos, Picos, &[(u32, u64)]),
) -> Result<Timeline, Stuck> {
    let mut state = State::new(tasks, queues);
    let mut now = 0;
    loop {
        state.start_due(now)?;
        if state.running.is_empty() {
            let Some(&Reverse((next, _))) = state.due.peek() else { break };
            now = next;
            continue;
        }
        let until = state.share(shares, now)?;
        let rates: Vec<(u32, u64)> = state.running.iter().map(|run| (run.task, run.rate)).collect();
        observe(Picos(now), Picos(until), &rates);
        state.advance(now, until)?;
        now = until;
    }
    match state.ended.iter().position(|ended| !ended) {
        Some(task) => Err(Stuck::Circle(task)),
        None => Ok(state.timeline),
    }
}

/// A task whose bytes move.
struct Running {
    task: u32,
    flow: u32,
    /// What is left to carry, in fine units.
    left: u128,
    rate: u64,
}

/// The tasks of a queue that have not started.
struct Lane {
    /// How many more may run.
    free: u32,
    waiting: VecDeque<u32>,
}

struct State<'a> {
    tasks: &'a [Task],
    timeline: Timeline,
    ended: Vec<bool>,
    /// By task: how many that it comes after have not ended.
    waits: Vec<u32>,
    /// By task: those that come after it.
    before: Vec<Vec<u32>>,
    /// Tasks that nothing but time keeps from starting, by that time.
    due: BinaryHeap<Reverse<(u64, u32)>>,
    /// Whether a task may start once its queue lets it.
    ready: Vec<bool>,
    lanes: Vec<Lane>,
    running: Vec<Running>,
}

impl<'a> State<'a> {
    fn new(tasks: &'a [Task], queues: &[Queue]) -> Self {
        let lane = |queue: &Queue| Lane { free: queue.width.max(1), waiting: VecDeque::new() };
        let mut lanes: Vec<Lane> = queues.iter().map(lane).collect();
        let mut before = vec![Vec::new(); tasks.len()];
        for (at, task) in (0u32..).zip(tasks) {
            task.after.iter().for_each(|&other| before[other as usize].push(at));
            if let Some(queue) = task.queue {
                lanes[queue as usize].waiting.push_back(at);
            }
        }
        let free = (0u32..).zip(tasks).filter(|(_, task)| task.after.is_empty());
        Self {
            tasks,
            timeline: Timeline {
                starts: vec![Picos(0); tasks.len()],
                ends: vec![Picos(0); tasks.len()],
            },
            ended: vec![false; tasks.len()],
            waits: tasks.iter().map(|task| task.after.len() as u32).collect(),
            before,
            due: free.map(|(at, task)| Reverse((task.delay.0, at))).collect(),
            ready: vec![false; tasks.len()],
            lanes,
            running: Vec::new(),
        }
    }

    /// Starts everything that is due, and what tasks that carry nothing make due by that.
    fn start_due(&mut self, now: u64) -> Result<(), Stuck> {
        while let Some(&Reverse((time, task))) = self.due.peek()
            && time <= now
        {
            self.due.pop();
            self.ready[task as usize] = true;
            match self.tasks[task as usize].queue {
                None => self.start(task, now)?,
                Some(queue) => self.serve(queue, now)?,
            }
        }
        // A queue that tasks have left since.
        (0..self.lanes.len() as u32).try_for_each(|queue| self.serve(queue, now))
    }

    /// Starts what stands first in a queue, as far as it is ready and there is room.
    fn serve(&mut self, queue: u32, now: u64) -> Result<(), Stuck> {
        loop {
            let lane = &mut self.lanes[queue as usize];
            let Some(&task) = lane.waiting.front() else { return Ok(()) };
            if lane.free == 0 || !self.ready[task as usize] {
                return Ok(());
            }
            (lane.free, _) = (lane.free - 1, lane.waiting.pop_front());
            self.start(task, now)?;
        }
    }

    fn start(&mut self, task: u32, now: u64) -> Result<(), Stuck> {
        self.timeline.starts[task as usize] = Picos(now);
        let Task { flow, bytes, .. } = self.tasks[task as usize];
        match flow.filter(|_| bytes.0 > 0) {
            None => self.end(task, now),
            Some(flow) => {
                let left = u128::from(bytes.0) * FINE;
                self.running.push(Running { task, flow, left, rate: 0 });
                Ok(())
            }
        }
    }

    fn end(&mut self, task: u32, time: u64) -> Result<(), Stuck> {
        self.timeline.ends[task as usize] = Picos(time);
        self.ended[task as usize] = true;
        if let Some(queue) = self.tasks[task as usize].queue {
            self.lanes[queue as usize].free += 1;
        }
        for next in std::mem::take(&mut self.before[task as usize]) {
            self.waits[next as usize] -= 1;
            if self.waits[next as usize] == 0 {
                let task = &self.tasks[next as usize];
                let ends = task.after.iter().map(|&other| self.timeline.ends[other as usize]);
                let due = ends.max().unwrap_or_default().plus(task.delay)?;
                self.due.push(Reverse((due.0, next)));
            }
        }
        Ok(())
    }

    /// Gives what runs its rates, and tells until when they hold.
    fn share(&mut self, shares: &Shares, now: u64) -> Result<u64, Stuck> {
        let flows: Vec<u32> = self.running.iter().map(|run| run.flow).collect();
        let mut first = u128::MAX;
        for (run, rate) in self.running.iter_mut().zip(shares.rates(&flows)) {
            run.rate = rate.0;
            first = first.min(run.left.div_ceil(u128::from(rate.0)));
        }
        let first = u64::try_from(first + u128::from(now)).map_err(|_| UnitOverflow)?;
        let until = match self.running.len() > MANY {
            true => first.max(now + (now >> PART)),
            false => first,
        };
        let next = self.due.peek().map_or(u64::MAX, |Reverse((time, _))| *time);
        Ok(until.min(next))
    }

    /// Moves the bytes of a stretch of time, and ends what has none left.
    fn advance(&mut self, now: u64, until: u64) -> Result<(), Stuck> {
        let mut ended = Vec::new();
        self.running.retain_mut(|run| {
            let moved = u128::from(run.rate) * u128::from(until - now);
            if moved < run.left {
                run.left -= moved;
                return true;
            }
            ended.push((now + run.left.div_ceil(u128::from(run.rate)) as u64, run.task));
            false
        });
        ended.sort_unstable();
        ended.into_iter().try_for_each(|(time, task)| self.end(task, time))
    }
}
