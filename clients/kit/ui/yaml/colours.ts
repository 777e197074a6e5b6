import { HighlightStyle } from "@codemirror/language";
import { tags } from "@lezer/highlight";

/** By variables of the theme, so that light and dark need no second editor. */
export const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--reeve-code-key)" },
  { tag: [tags.string, tags.content, tags.special(tags.string)], color: "var(--reeve-code-text)" },
  { tag: [tags.number, tags.bool, tags.keyword, tags.null], color: "var(--reeve-code-value)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--mantine-color-dimmed)", fontStyle: "italic" },
  {
    tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace],
    color: "var(--mantine-color-dimmed)",
  },
  { tag: [tags.typeName, tags.labelName, tags.meta], color: "var(--reeve-code-value)" },
]);
