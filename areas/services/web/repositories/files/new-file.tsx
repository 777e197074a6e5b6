import { TextInput } from "@mantine/core";
import { FormDialog, ReasonedButton } from "@reeve/kit";
import { IconFilePlus } from "@tabler/icons-react";
import { useState } from "react";
import { pathTrouble } from "../../../kinds/path.ts";

interface Props {
  readonly why: string | undefined;
  readonly taken: readonly string[];
  /** The folder that this Repository is of. */
  readonly below: string | undefined;
  readonly onMade: (path: string) => void;
}

export function NewFile({ why, taken, below, onMade }: Props) {
  const prefix = below === undefined ? "" : `${below}/`;
  const [path, setPath] = useState<string>();
  const trouble = path === undefined ? undefined : troubleWith(path);
  function troubleWith(given: string): string | undefined {
    if (taken.includes(given)) return "there is such a file already";
    if (!given.startsWith(prefix)) return `it must be in ${below}`;
    return pathTrouble(given);
  }
  return (
    <>
      <ReasonedButton
        label="New file"
        icon={<IconFilePlus size={14} />}
        why={why}
        onClick={() => setPath(prefix)}
      />
      {path !== undefined && (
        <FormDialog
          title="New file"
          action="Begin"
          held={trouble !== undefined}
          onClose={() => setPath(undefined)}
          run={async () => path}
          onDone={(made) => {
            setPath(undefined);
            onMade(made);
          }}
        >
          <TextInput
            label="Path"
            description="From the repository's top, such as web/compose.yaml. It is made by your commit."
            error={path === prefix ? undefined : trouble}
            value={path}
            onChange={({ currentTarget }) => setPath(currentTarget.value)}
          />
        </FormDialog>
      )}
    </>
  );
}
