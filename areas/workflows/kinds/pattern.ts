/**
 * Patterns of inputs are JavaScript's, cut down so that none can run for long: no repeated groups, no look-around, no back
 * references, and few repetitions, over short texts. Whoever writes a workflow must not be able to stop the server with it.
 */
const repetitionsLimit = 3;
export const patternedLimit = 500;

/** What is wrong with a pattern, in words. */
export function patternTrouble(pattern: string): string | undefined {
  if (pattern.length > 200) return "a pattern has at most 200 characters";
  const bare = pattern.replaceAll(/\\[^0-9k]/g, "_").replaceAll(/\[(?:[^\]\\]|\\.)*\]/g, "_");
  if (/\\[0-9k]/.test(bare)) return "references back to a group are not available";
  if (/\(\?(?!:)/.test(bare)) return "groups with (?…) are not available, save (?:…)";
  if (/\)[*+?{]/.test(bare)) return "a group cannot be repeated";
  if ((bare.match(/[*+{]/g)?.length ?? 0) > repetitionsLimit)
    return `a pattern has at most ${repetitionsLimit} repetitions`;
  try {
    whole(pattern);
    return undefined;
  } catch {
    return "is not a regular expression";
  }
}

/** The pattern is for the whole text. */
export function fitsPattern(text: string, pattern: string): boolean {
  return text.length <= patternedLimit && whole(pattern).test(text);
}

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`, "u");
}
