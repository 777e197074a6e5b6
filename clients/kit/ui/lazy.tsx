import { Skeleton } from "@mantine/core";
import { type ComponentType, lazy, Suspense } from "react";

/** A heavy view: a file of its own, loaded when it is first looked at, with room kept for it. */
export function lazyView<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  height: number,
): ComponentType<Props> {
  const View = lazy(async () => ({ default: await load() }));
  return (props) => (
    <Suspense fallback={<Skeleton height={height} />}>
      <View {...props} />
    </Suspense>
  );
}
