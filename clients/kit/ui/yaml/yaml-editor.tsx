import { Skeleton } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { EditorProps } from "./editor.tsx";

const Editor = lazy(() => import("./editor.tsx").then(({ Editor }) => ({ default: Editor })));

/** A YAML editor that knows a schema. Its code is loaded when the first one is shown. */
export function YamlEditor(props: EditorProps) {
  return (
    <Suspense fallback={<Skeleton height={320} />}>
      <Editor {...props} />
    </Suspense>
  );
}
