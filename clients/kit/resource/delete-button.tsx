import type { Resource } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { ReasonedButton } from "../ui/action-button.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { useWhyNot } from "./use-why-not.ts";

interface Props {
  readonly kind: KindInfo;
  readonly resource: Resource;
  /** What happens elsewhere before it is gone, such as on hosts. */
  readonly means?: string | undefined;
  /** It is gone, or will be. */
  readonly onDone: (gone: boolean) => void;
}

/** Deletes a resource, after showing what goes with it and what still needs it. */
export function DeleteButton({ kind, resource, means, onDone }: Props) {
  const [asking, setAsking] = useState(false);
  const why = useWhyNot("delete", resource);
  return (
    <>
      <ReasonedButton
        label="Delete"
        icon={<IconTrash size={14} />}
        why={why}
        onClick={() => setAsking(true)}
      />
      {asking && (
        <DeleteDialog
          kind={kind}
          resource={resource}
          means={means}
          onClose={() => setAsking(false)}
          onDone={onDone}
        />
      )}
    </>
  );
}
