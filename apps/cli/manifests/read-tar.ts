const block = 512;

/**
 * The files of a tar that are wanted, with their contents. Of the formats, what `tar` and `git archive` write: ustar with its prefix,
 * pax headers and GNU's long names. Links, folders and devices are none of ours.
 */
export function readTar(
  tar: Uint8Array,
  wanted: (name: string, size: number) => boolean,
): [name: string, content: Uint8Array][] {
  const files: [string, Uint8Array][] = [];
  let longName: string | undefined;
  for (let at = 0; at + block <= tar.length; ) {
    const header = tar.subarray(at, at + block);
    if (header.every((byte) => byte === 0)) break;
    const size = sizeOf(header);
    const content = tar.subarray(at + block, at + block + size);
    if (content.length < size) throw new Error("it ends in the middle of a file");
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === "L") longName = text(content);
    else if (type === "x") longName = paxPath(content) ?? longName;
    else {
      const name = (longName ?? nameOf(header)).replace(/^(\.\/)+/, "");
      if ((type === "0" || type === "\0") && wanted(name, size)) files.push([name, content]);
      longName = undefined;
    }
    at += block + Math.ceil(size / block) * block;
  }
  return files;
}

function nameOf(header: Uint8Array): string {
  const isUstar = text(header.subarray(257, 262)) === "ustar";
  const prefix = isUstar ? text(header.subarray(345, 500)) : "";
  const name = text(header.subarray(0, 100));
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** Octal digits; the binary form is for files of more than 8 GB. */
function sizeOf(header: Uint8Array): number {
  const digits = text(header.subarray(124, 136)).trim();
  const summed = header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (!/^[0-7]+$/.test(digits) || summed !== Number.parseInt(text(header.subarray(148, 156)), 8))
    throw new Error("it is not a tar, or damaged");
  return Number.parseInt(digits, 8);
}

/** Records of the form `LENGTH path=NAME\n`. */
function paxPath(content: Uint8Array): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(text(content))?.[1];
}

/** Up to the first zero. */
function text(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end));
}
