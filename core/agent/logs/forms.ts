const shortest = 3;
const shortestEncoded = 8;

/**
 * The ways in which a text that must not be seen is likely to be printed: as it is, line by line, within JSON or an address,
 * and within base64 (as in a header of basic authentication). Shorter than three characters it is no secret, and to mask it
 * would only tell where it stands. What a body makes of a secret otherwise (reverses it, wraps its base64) is not recognised.
 */
export function formsOf(text: string): string[] {
  if (text.length < shortest) return [];
  const forms = new Set([text]);
  for (const line of text.split(/\r?\n/)) if (line.trim().length >= shortestEncoded) forms.add(line.trim());
  forms.add(JSON.stringify(text).slice(1, -1));
  forms.add(percentEncoded(text));
  forms.add(percentEncoded(text).replaceAll("%20", "+"));
  for (const part of base64Of(Buffer.from(text))) {
    forms.add(part);
    forms.add(part.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return [...forms];
}

/** A lone surrogate cannot be encoded, and cannot be printed either. */
function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Base64 of the bytes at each of the three places in a group that they can have, without what depends on their neighbours. */
function base64Of(bytes: Buffer): string[] {
  return [0, 1, 2]
    .map((before) => {
      const whole = Buffer.concat([Buffer.alloc(before), bytes]);
      const first = Math.ceil((before * 8) / 6);
      return whole.toString("base64").slice(first, Math.floor((whole.length * 8) / 6));
    })
    .filter((part) => part.length >= shortestEncoded);
}
