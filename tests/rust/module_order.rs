//! Modules stand in `lib.rs` in the order in which data flows: each uses only those above it.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules of the crate, in the order of `lib.rs`.
fn modules(lib: &str) -> Vec<String> {
    let declared = lib.lines().filter_map(|line| {
        let name = line.strip_prefix("pub mod ").or_else(|| line.strip_prefix("mod "))?;
        name.strip_suffix(';').map(str::to_owned)
    });
    declared.collect()
}

/// The modules that a source uses outside of its tests.
fn used(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let names = code.flat_map(|line| line.split("crate::").skip(1)).map(|rest| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        rest.split(|c| !is_name(c)).next().unwrap_or_default().to_owned()
    });
    names.collect()
}

/// What a module uses although it stands further down, or nowhere.
fn violations(module: &str, source: &str, order: &[String]) -> Vec<String> {
    let place = |name: &str| order.iter().position(|module| module == name);
    let own = place(module).unwrap();
    let stray = |name: &String| place(name).is_none_or(|place| place > own);
    used(source).into_iter().filter(stray).collect()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] });
    let is_test = |path: &PathBuf| path.iter().any(|part| part == "tests" || part == "tests.rs");
    files.filter(|path| path.extension().is_some_and(|end| end == "rs") && !is_test(path)).collect()
}

#[test]
fn every_module_uses_only_those_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let order = modules(&fs::read_to_string(root.join("lib.rs")).unwrap());
    assert!(order.len() > 15, "{order:?}");
    let mut faults = Vec::new();
    for path in rust_files(&root) {
        let inside = path.strip_prefix(&root).unwrap();
        let first = Path::new(inside.iter().next().unwrap()).with_extension("");
        let module = first.to_str().unwrap();
        if module != "lib" {
            let source = fs::read_to_string(&path).unwrap();
            let names = violations(module, &source, &order);
            faults
                .extend(names.into_iter().map(|name| format!("{} uses {name}", inside.display())));
        }
    }
    assert!(faults.is_empty(), "modules that stand below:\n{}", faults.join("\n"));
}

#[test]
fn a_use_of_a_module_below_is_found_in_any_form() {
    let order = modules("mod low;\n\n#[cfg(feature = \"x\")]\npub mod middle;\npub mod high;\n");
    assert_eq!(order, ["low", "middle", "high"]);
    let source = "use crate::low::A;\nuse crate::high::{B, C};\n// crate::high is only named\n\
                  fn f() -> crate::middle::D { crate::gone::E }\n#[cfg(test)]\nuse crate::high::F;\n";
    assert_eq!(violations("middle", source, &order), ["high", "gone"]);
    assert!(violations("high", "use crate::low::A;", &order).is_empty());
}
