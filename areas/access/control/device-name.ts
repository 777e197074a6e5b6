/** Browsers name those they descend from as well: the most special comes first. */
const programs: readonly (readonly [RegExp, string])[] = [
  [/^reeve-cli/, "reeve command line"],
  [/\bEdg\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\//, "Firefox"],
  [/\bChrome\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bdarwin\b/, "macOS"],
  [/\bLinux\b|\blinux\b/, "Linux"],
];

/** What a person calls the other end of a session: `Firefox on Linux`. */
export function deviceName(agent: string): string {
  const [program, system] = [programs, systems].map((list) => list.find(([words]) => words.test(agent))?.[1]);
  if (program === undefined) return agent.slice(0, 40) || "unknown";
  return system === undefined ? program : `${program} on ${system}`;
}
