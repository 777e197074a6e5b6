/**
 * What runs in the storm. Each body tells the ledger, by one write of a line to its end; the order of lines is the truth. The same
 * words go to its output before, so that the ledger knows what must be in its log; whether they could be written there is told too.
 */

const say = `say() {
  read -r up _ </proc/uptime
  logged=yes; echo "$1 $REEVE_KEY $REEVE_STEP $REEVE_ATTEMPT" || logged=no
  echo "$1 $REEVE_KEY $REEVE_STEP $REEVE_ATTEMPT $up $logged" >> "$LEDGER"
}
say start
`;
const done = `
echo "attempt=$REEVE_ATTEMPT" >> "$REEVE_OUTPUTS"
say end
`;
/** A shell script that tells of its start and its end, and gives its attempt as an output. */
export const body = (work: string) => `${say}${work}${done}`;
const for_ = (count: number, work: string) => `i=0; while [ $i -lt ${count} ]; do ${work}; i=$((i+1)); done`;

/** What `loud` writes to its output between what it tells, in lines. */
export const loudLines = 120_000;

const specs = {
  /** A fan-out between two steps. */
  plain: [
    { name: "first", run: body("sleep 0.2") },
    { name: "each", each: [1, 2, 3, 4, 5], run: body("sleep 0.$REEVE_ATTEMPT") },
    { name: "last", run: body("") },
  ],
  once: [
    { name: "pay", run: body("sleep 2"), effect: "at-most-once" },
    { name: "after", run: body(""), effect: "at-most-once" },
  ],
  /** Longer than two leases; tells of itself all the time, so that the lines of two attempts that overlap are mixed. */
  alone: [{ name: "only", run: body(for_(60, "say tick; sleep 0.25")), exclusive: true }],
  /** Longer than a lease. */
  long: [{ name: "sleep", run: body("sleep 9") }],
  loud: [{ name: "shout", run: body(`seq 1 ${loudLines}`) }],
  flaky: [
    {
      name: "maybe",
      run: `${say}[ "$REEVE_ATTEMPT" -ge 3 ] || { say fail; exit 7; }${done}`,
      retry: { times: 4, delay: "1s" },
    },
  ],
  failing: [
    { name: "bad", run: `${say}say fail; exit 9` },
    { name: "never", run: body("") },
    // Without an output: on a full disk a script that cannot write one fails, and rightly.
    { name: "tidy", run: `${say}say end`, cleanup: true },
  ],
  /** Goes on for minutes, whoever asks it to end: everybody cancels it, and after the grace it is killed. */
  stubborn: [
    {
      name: "stay",
      run: body(
        `trap 'told=yes' TERM; ${for_(2400, '[ "$told" ] && say told && told=; say tick; sleep 0.25 || :')}`,
      ),
    },
  ],
} as const;

export type StormWorkflow = keyof typeof specs;
export const stormWorkflows = Object.keys(specs) as StormWorkflow[];
export const onceSteps: readonly string[] = ["pay", "after"];
/** What begins only when its accept was acknowledged. */
export const carefulSteps: readonly string[] = [...onceSteps, "only"];
/** Done to its end, also of a run that was cancelled. */
export const cleanup = { workflow: "failing", def: 2, step: "tidy" } as const;

export function workflow(name: string, ledger: string, spec: object): object {
  const metadata = { scope: "acme", name };
  return { apiVersion: "reeve/v1", kind: "Workflow", metadata, spec: { env: { LEDGER: ledger }, ...spec } };
}

export function stormManifests(ledger: string, { ticking = true } = {}): object[] {
  const schedules = [{ name: "second", cron: "* * * * * *", catchUp: "all", paused: !ticking }];
  return [
    ...Object.entries(specs).map(([name, steps]) => workflow(name, ledger, { steps })),
    workflow("ticking", ledger, { steps: [{ name: "tick", uses: "noop" }], schedules }),
  ];
}
