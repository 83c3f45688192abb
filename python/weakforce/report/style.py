"""How a page looks: one style sheet for light and dark, wide and narrow.

In: nothing. Out: CSS. Pictures are drawn for a light ground; in the dark their lightness is turned
around while their hues stay.
"""

_BASE = """\
:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f4f5f7; --text: #1c2024; --quiet: #5c6570; --line: #dfe3e8;
  --accent: #0072b2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171a; --raised: #1f2428; --text: #e6e8ea; --quiet: #a0a8b0; --line: #343a40;
    --accent: #56b4e9;
  }
  .pictures { filter: invert(0.92) hue-rotate(180deg); }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 64rem; background: var(--ground);
  color: var(--text); font: 1rem/1.5 system-ui, sans-serif;
}
h1 { margin: 0; font-size: 1.8rem; line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin: 2.5rem 0 0.75rem; font-size: 1.3rem; border-bottom: 1px solid var(--line); }
header p, footer, figcaption, caption { color: var(--quiet); }
a { color: var(--accent); }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin: 0; padding: 0; }
nav li { list-style: none; }
.cards {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(7.5rem, 1fr)); gap: 0.6rem;
  margin: 1rem 0;
}
.cards div { padding: 0.5rem 0.75rem; border-radius: 0.5rem; background: var(--raised); }
.cards dt { color: var(--quiet); font-size: 0.85rem; }
.cards dd { margin: 0; font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; }
table {
  border-collapse: collapse; font-size: 0.9rem; margin: 1rem 0; min-width: min(100%, 28rem);
  max-width: 100%;
}
caption { padding: 0.25rem 0; text-align: left; font-size: 0.9rem; }
th, td { padding: 0.3rem 1rem 0.3rem 0; text-align: left; vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
th { border-bottom: 1px solid var(--line); font-weight: 600; }
td { overflow-wrap: anywhere; min-width: 6.5rem; }
.many th, .many td { min-width: 4.2rem; overflow-wrap: anywhere; padding-right: 0.6rem; }
.many th.number { overflow-wrap: normal; min-width: 0; }
tbody tr + tr td { border-top: 1px solid var(--line); }
.matrix th, .matrix td { padding: 0.35rem 0.6rem; }
.matrix th { overflow-wrap: anywhere; min-width: 4.5rem; }
.matrix td { min-width: 3rem; border: 1px solid var(--ground); }
.matrix tbody th { border-bottom: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number, .many td.number { white-space: nowrap; min-width: 0; }
td.none { color: var(--quiet); }
.share { white-space: nowrap; }
.bar {
  display: inline-block; width: 5rem; height: 0.7em; border-radius: 0.2em;
  background: var(--raised); overflow: hidden;
}
.bar span { display: block; height: 100%; background: var(--accent); }
figure { margin: 1rem 0; }
.pictures { color: #000000; }
.pictures svg { display: block; width: 100%; height: auto; }
.pictures.several {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: 1rem;
}
details { margin: 0.25rem 0; }
details > div { padding: 0.5rem 0 1.5rem; }
summary { color: var(--accent); cursor: pointer; width: fit-content; }
.legend { grid-column: 1 / -1; margin: 0; display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; }
.legend i {
  display: inline-block; width: 1.4em; height: 0.25em; margin-right: 0.4em; vertical-align: middle;
}
"""

#: How a table becomes a list of rows.
_STACKED = """\
@media (max-width: {width}) {{
  {name}, {name} tbody, {name} tr, {name} caption {{ display: block; }}
  {name} thead {{ display: none; }}
  {name} tr {{ padding: 0.4rem 0; border-top: 1px solid var(--line); }}
  {name} td, {name} tbody tr + tr td {{ border: 0; }}
  {name} td {{
    display: flex; gap: 1rem; justify-content: space-between; padding: 0.1rem 0; text-align: right;
  }}
  {name} td::before {{
    content: attr(data-title); color: var(--quiet); text-align: left; flex: none; max-width: 45%;
  }}
}}
"""

STYLE = (
    _BASE
    + _STACKED.format(name=".stacked", width="44rem")
    + _STACKED.format(name=".many", width="66rem")
    + """\
@media (max-width: 44rem) {
  .matrix { width: 100%; table-layout: fixed; font-size: 0.8rem; }
  .matrix th, .matrix td { padding: 0.3rem 0.15rem; min-width: 0; }
}
@media print { nav { display: none; } section { break-inside: avoid; } }
"""
)
