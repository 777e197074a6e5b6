import { SimpleGrid } from "@mantine/core";
import { ChartView, client, Section, useRuns } from "@reeve/kit";
import type { Scope } from "@reeve/model";
import type { RunRate } from "@reeve/sdk";
import { useEffect, useMemo, useState } from "react";

const hours = 24;
/** However often runs change, the figures of a day are read again at most this often. */
const againMs = 15_000;

const colors = {
  good: { light: "#1b6e3c", dark: "#5cc98a" },
  bad: { light: "#b3261e", dark: "#ff8a80" },
  waits: { light: "#8a5300", dark: "#e8b04a" },
  runs: { light: "#1864ab", dark: "#6cb2f2" },
};

/** How many runs ended, and how many waited and ran, over the last day. */
export function RunCharts({ scope }: { readonly scope: Scope }) {
  const rates = useRates(scope);
  const times = useMemo(() => rates.map(({ at }) => Date.parse(at)), [rates]);
  const values = (what: Exclude<keyof RunRate, "at">) => rates.map((rate) => rate[what]);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Section title="Throughput" lead={`Runs that ended, in each half hour of the last ${hours} hours.`}>
        <ChartView
          label="Runs that ended over time"
          times={times}
          series={[
            { label: "succeeded", values: values("succeeded"), color: colors.good },
            { label: "failed", values: values("failed"), color: colors.bad },
          ]}
          empty="Nothing has run yet."
        />
      </Section>
      <Section title="Queue" lead="Runs that waited, and that ran, at the end of each half hour.">
        <ChartView
          label="Runs that waited and ran over time"
          times={times}
          series={[
            { label: "queued", values: values("queued"), color: colors.waits },
            { label: "running", values: values("running"), color: colors.runs },
          ]}
          empty="Nothing has run yet."
        />
      </Section>
    </SimpleGrid>
  );
}

/** Read when the page opens, and again when a run has changed: nothing asks by the clock. */
function useRates(scope: Scope): readonly RunRate[] {
  const [rates, setRates] = useState<readonly RunRate[]>([]);
  const [readAt, setReadAt] = useState(0);
  const { rows, state } = useRuns(scope ? { scope } : {}, 10);
  const isTold = state !== "loading";
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are the reason to read again
  useEffect(() => {
    if (!isTold) return;
    let over = false;
    const read = async () => {
      const read = await client.runs.rates({ ...(scope && { scope }), hours }).catch(() => []);
      if (over) return;
      setRates(read);
      setReadAt(Date.now());
    };
    const timer = setTimeout(() => void read(), Math.max(0, readAt + againMs - Date.now()));
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [scope, rows, isTold]);
  return rates;
}
