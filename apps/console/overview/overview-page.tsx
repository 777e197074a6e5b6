import { PageHeader } from "@reeve/kit";

export default function OverviewPage() {
  return <PageHeader title="Overview" />;
}
