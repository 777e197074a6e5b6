import { Alert, Stack } from "@mantine/core";
import { FaultView, PageHeader, useWhoami } from "@reeve/kit";
import { showScope } from "@reeve/model";
import { IconShieldExclamation } from "@tabler/icons-react";
import { Loading } from "../shell/fallbacks.tsx";
import { Factors } from "./factors.tsx";
import { Identities } from "./identities.tsx";
import { Password } from "./password.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { useSecurity } from "./security-data.ts";
import { Sessions } from "./sessions.tsx";

/** What everybody looks after themselves: second factors, recovery codes, where they are signed in, identities elsewhere, the password. */
export default function SecurityPage() {
  const { subject, withheld } = useWhoami();
  const { security, fault, read } = useSecurity();
  const scopes = [...new Set(withheld.map(({ scope }) => showScope(scope)))].join(", ");
  return (
    <>
      <PageHeader title={`Security of ${subject.name}`} lead="How you sign in, and where you have." />
      <Stack gap="lg" maw={760}>
        {withheld.length > 0 && (
          <Alert color="orange" icon={<IconShieldExclamation />}>
            Your roles in {scopes} do not count until you have signed in with a second factor.
          </Alert>
        )}
        {fault && <FaultView fault={fault} />}
        {security ? (
          <>
            <Factors factors={security.factors} onChanged={read} />
            {security.factors.length > 0 && <RecoveryCodes left={security.recoveryCodes} onChanged={read} />}
            <Sessions sessions={security.sessions} onChanged={read} />
            <Identities />
            <Password user={subject.name} />
          </>
        ) : (
          !fault && <Loading />
        )}
      </Stack>
    </>
  );
}
