//! `use` replaced by what it names.

use super::params;
use crate::base::{SourceId, Span};
use crate::diagnostics::{Diagnostics, Sources};
use crate::dsl::error::{Error, MAX_FILE_BYTES, MAX_USES};
use crate::dsl::parse::parse;
use crate::dsl::presets::{preset, presets};
use crate::dsl::suggest::nearest;
use crate::dsl::tree::{Block, Rule, Spanned, Statement, StatementKind};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

/// Files may use files this deep.
const MAX_USE_DEPTH: usize = 16;

/// A text that is being expanded: where paths in it start from, and its name for messages.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    /// The file, from the main file's folder on; `None` for a preset or a text without a file.
    file: Option<PathBuf>,
    shown: String,
}

/// What one file draws in, with everything that is being drawn in at the moment.
pub(super) struct Expansion<'a> {
    sources: &'a mut Sources,
    errors: Diagnostics,
    /// The folder of the main file, empty for the current one.
    folder: PathBuf,
    /// From the main file inwards.
    stack: Vec<Place>,
    /// The bodies of `use … as`, which the statement names by their number.
    kept: Vec<Block>,
    uses: usize,
    bytes: usize,
}

impl<'a> Expansion<'a> {
    pub(super) fn new(sources: &'a mut Sources, main: &str) -> Self {
        let path = Path::new(main);
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let name = main.strip_prefix("preset ");
        let (file, shown) = match name {
            Some(preset) => (None, preset.to_owned()),
            None => (path.file_name().map(PathBuf::from), main.to_owned()),
        };
        let stack = vec![Place { file, shown }];
        Self {
            sources,
            errors: Diagnostics::new(),
            folder,
            stack,
            kept: Vec::new(),
            uses: 0,
            bytes: 0,
        }
    }

    /// What went wrong.
    pub(super) fn into_errors(self) -> Diagnostics {
        self.errors
    }

    /// Replaces every `use` without a name in `block` and in its parts. What has a name is read and
    /// kept apart until [`Expansion::fill`], so that the params of `block` do not reach into it.
    pub(super) fn expand(&mut self, block: &mut Block) {
        for mut statement in std::mem::take(&mut block.statements) {
            match &mut statement.kind {
                StatementKind::Use { target, alias } => {
                    let at = target.span.unwrap_or(Span::new(SourceId(u32::MAX), 0, 0));
                    match self.used(&target.value, at) {
                        Ok(mut body) if alias.is_some() => {
                            params::substitute(&mut body, &BTreeMap::new(), &mut self.errors);
                            target.value = self.kept.len().to_string();
                            self.kept.push(body);
                            block.statements.push(statement);
                        }
                        Ok(body) => splice(block, statement, body),
                        Err(Some(error)) => self.errors.push(error.diagnostic()),
                        Err(None) => {}
                    }
                }
                StatementKind::Part { body, .. } => {
                    self.expand(body);
                    block.statements.push(statement);
                }
                StatementKind::Rule(Spanned { value: Rule::Measured { file, .. }, .. }) => {
                    self.measured(file);
                    block.statements.push(statement);
                }
                _ => block.statements.push(statement),
            }
        }
    }

    /// Puts what was kept apart in its place, as parts.
    pub(super) fn fill(&mut self, block: &mut Block) {
        for statement in &mut block.statements {
            if let StatementKind::Use { target, alias: Some(alias) } = &statement.kind {
                let kept = target.value.parse().ok().and_then(|at: usize| self.kept.get_mut(at));
                let body = kept.map(std::mem::take).unwrap_or_default();
                statement.kind = StatementKind::Part { name: alias.clone(), body };
            }
            if let StatementKind::Part { body, .. } = &mut statement.kind {
                self.fill(body);
            }
        }
    }

    /// The expanded statements of `target`; `Err(None)` where the errors are reported already.
    fn used(&mut self, target: &str, at: Span) -> Result<Block, Option<Error>> {
        self.uses += 1;
        if self.uses > MAX_USES || self.bytes > 16 * MAX_FILE_BYTES {
            // Said once: whatever follows would only repeat it.
            return Err((self.uses == MAX_USES + 1).then_some(Error::TooManyUses { at }));
        }
        if self.stack.len() > MAX_USE_DEPTH {
            return Err(Some(Error::TooManyUses { at }));
        }
        let place = self.locate(target, at)?;
        if let Some(from) = self.stack.iter().position(|open| same(open, &place)) {
            let mut chain: Vec<String> =
                self.stack[from..].iter().map(|open| open.shown.clone()).collect();
            chain.push(place.shown);
            return Err(Some(Error::UseCycle { at, chain }));
        }
        let (name, text) = match &place.file {
            None => {
                let text = preset(&place.shown).map(|preset| preset.text).unwrap_or_default();
                (format!("preset {}", place.shown), text.to_owned())
            }
            Some(_) => (place.shown.clone(), self.text(&place, at)?),
        };
        self.bytes += text.len();
        let id = self.sources.add(name, text);
        match parse(self.sources, id) {
            Ok(mut file) => {
                self.stack.push(place);
                self.expand(&mut file.body);
                self.stack.pop();
                Ok(file.body)
            }
            Err(errors) => {
                self.errors.extend(errors);
                Err(None)
            }
        }
    }

    /// What `target` names: a path where it has a `/` or ends in `.topo`, else a preset.
    fn locate(&self, target: &str, at: Span) -> Result<Place, Error> {
        if !target.contains(['/', '\\']) && !target.ends_with(".topo") {
            if preset(target).is_none() {
                let known = presets().iter().map(|preset| preset.name);
                let meant = nearest(target, known).map(str::to_owned);
                return Err(Error::UnknownPreset { at, name: target.to_owned(), meant });
            }
            return Ok(Place { file: None, shown: target.to_owned() });
        }
        let (file, shown) = self.inside(target, at)?;
        Ok(Place { file: Some(file), shown })
    }

    /// The path from the main file's folder on that `target` means in the file in hand, and the path
    /// to open.
    fn inside(&self, target: &str, at: Span) -> Result<(PathBuf, String), Error> {
        let escape = || Error::UseEscape { at, path: target.to_owned() };
        let here = self.stack.last().and_then(|open| open.file.as_deref());
        let mut file = here.and_then(Path::parent).map(Path::to_path_buf).unwrap_or_default();
        for component in Path::new(target).components() {
            match component {
                Component::Normal(name) => file.push(name),
                Component::CurDir => {}
                Component::ParentDir if file.pop() => {}
                _ => return Err(escape()),
            }
        }
        let shown = self.folder.join(&file);
        // A link in the folder may lead out of it as well.
        let root = if self.folder.as_os_str().is_empty() { Path::new(".") } else { &self.folder };
        if let (Ok(root), Ok(real)) = (root.canonicalize(), shown.canonicalize())
            && !real.starts_with(root)
        {
            return Err(escape());
        }
        Ok((file, shown.to_string_lossy().into_owned()))
    }

    /// A file of measurements is named from the main file's folder on, as all paths of a resolved
    /// file are.
    fn measured(&mut self, file: &mut Spanned<String>) {
        let at = file.span.unwrap_or(Span::new(SourceId(u32::MAX), 0, 0));
        match self.inside(&file.value, at) {
            Ok((path, _)) => {
                let parts = path.components().map(|part| part.as_os_str().to_string_lossy());
                file.value = parts.collect::<Vec<_>>().join("/");
            }
            Err(error) => self.errors.push(error.diagnostic()),
        }
    }

    fn text(&self, place: &Place, at: Span) -> Result<String, Error> {
        let path = place.shown.clone();
        let trouble = |reason: String| Error::Unreadable { at, path: path.clone(), reason };
        let file = self.folder.join(place.file.as_deref().unwrap_or(Path::new("")));
        // A pipe or device could block, or never end.
        let about = std::fs::metadata(&file).map_err(|error| trouble(reason(&error)))?;
        if !about.is_file() {
            return Err(trouble("it is no ordinary file".to_owned()));
        }
        let mut bytes = Vec::new();
        let limit = MAX_FILE_BYTES as u64 + 1;
        std::fs::File::open(&file)
            .and_then(|file| file.take(limit).read_to_end(&mut bytes))
            .map_err(|error| trouble(reason(&error)))?;
        if bytes.len() > MAX_FILE_BYTES {
            return Err(trouble(format!("it is longer than {MAX_FILE_BYTES} bytes")));
        }
        String::from_utf8(bytes).map_err(|error| {
            trouble(format!("it is not UTF-8 from byte {} on", error.utf8_error().valid_up_to()))
        })
    }
}

/// Gathers the files of measurements in `block` and in its parts; an error for each that is not there.
pub(super) fn measured(
    block: &Block,
    folder: &Path,
    files: &mut BTreeSet<PathBuf>,
    errors: &mut Diagnostics,
) {
    for statement in &block.statements {
        match &statement.kind {
            StatementKind::Part { body, .. } => measured(body, folder, files, errors),
            StatementKind::Rule(Spanned { value: Rule::Measured { file, .. }, .. }) => {
                let path = folder.join(&file.value);
                let reason = match std::fs::metadata(&path) {
                    Ok(about) if about.is_file() => {
                        files.insert(path);
                        continue;
                    }
                    Ok(_) => "it is no ordinary file".to_owned(),
                    Err(error) => reason(&error),
                };
                let at = file.span.unwrap_or(Span::new(SourceId(u32::MAX), 0, 0));
                let path = path.to_string_lossy().into_owned();
                errors.push(Error::Unreadable { at, path, reason }.diagnostic());
            }
            _ => {}
        }
    }
}

/// The cause without the number that the system adds, which differs between systems.
fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

fn same(a: &Place, b: &Place) -> bool {
    match (&a.file, &b.file) {
        (Some(a), Some(b)) => a == b,
        (None, None) => a.shown == b.shown,
        _ => false,
    }
}

/// Puts the statements of a used file in place of `statement`, whose comments stay.
fn splice(block: &mut Block, statement: Statement, mut body: Block) {
    let mut comments = statement.leading;
    comments.extend(statement.trailing);
    match body.statements.first_mut() {
        Some(first) => {
            comments.append(&mut first.leading);
            first.leading = comments;
            first.blank_before = statement.blank_before;
        }
        None => block.dangling.extend(comments),
    }
    block.statements.append(&mut body.statements);
}
