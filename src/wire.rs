//! Names that cross to Python, to files and to error messages: those that serde knows.
//!
//! In: a value of an enum without fields. Out: its name.

use serde::Serialize;

/// The name that serde gives to a variant without fields.
#[must_use]
pub fn wire_name(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_have_the_names_of_files() {
        assert_eq!(wire_name(&crate::data::Kind::TimeOfDay), "time_of_day");
        assert_eq!(wire_name(&crate::data::ViewKind::Codes), "codes");
    }
}
