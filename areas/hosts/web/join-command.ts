/** What a person runs on the machine that is to join. */
export function joinCommand(origin: string, token: string): string {
  return `curl -fsS ${origin}/agent/install.sh | sh -s -- --token ${token}`;
}

/** "pool=build, zone=a" as labels. What is wrong with them the server says. */
export function readLabels(text: string): Record<string, string> {
  const words = text
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf("=");
      return at < 0 ? [word, ""] : [word.slice(0, at).trim(), word.slice(at + 1).trim()];
    }),
  );
}
