/** Browsers name those they descend from as well: the most special comes first. */
const programs: readonly (readonly [RegExp, string])[] = [
  [/\bEdg\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\//, "Firefox"],
  [/Chrome\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** What a person calls the other end of a session: `Firefox on Linux`, `reeve on laptop`. */
export function deviceName(agent: string): string {
  const machine = /^reeve\/\S+ \(([\w.-]+)\)$/.exec(agent)?.[1];
  if (machine !== undefined) return `reeve on ${machine}`;
  const [program, system] = [programs, systems].map((list) => list.find(([words]) => words.test(agent))?.[1]);
  if (program === undefined) return agent.slice(0, 40) || "unknown";
  return system === undefined ? program : `${program} on ${system}`;
}
