/** Whether every word that somebody looks for stands in one of these. */
export function hasWords(texts: readonly string[], sought: string): boolean {
  const all = texts.join(" ").toLowerCase();
  return sought
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
