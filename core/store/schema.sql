-- Made by `npm run generate` from the migrations of the core and of every area. Not run by anybody: it is for reading,
-- and for seeing in a review what a migration comes to.

create table agent (
  uid uuid not null,
  scope text not null,
  name text not null,
  identity bytea not null,
  identity_before bytea,
  identity_generation bigint not null default 1,
  identity_expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  session uuid,
  replica text,
  hello jsonb not null default '{}'::jsonb,
  labels jsonb not null default '{}'::jsonb,
  drained boolean not null default false,
  slots bigint not null default 0,
  state text not null,
  lease_until timestamp with time zone not null,
  beat_at timestamp with time zone not null,
  status jsonb not null default '{}'::jsonb,
  joined_at timestamp with time zone not null default now(),
  identity_before_expires_at timestamp with time zone,
  identity_used_at timestamp with time zone,
  enrolment bytea,
  slots_allowed bigint,
  shown text not null default ''::text,
  identity_authority uuid,
  left_at timestamp with time zone,
  hello_number bigint not null default 0,
  restored_generation bigint,
  constraint agent_pkey PRIMARY KEY (uid),
  constraint agent_state_check CHECK ((state = ANY (ARRAY['joined'::text, 'connected'::text, 'suspect'::text, 'lost'::text, 'revoked'::text])))
);
CREATE UNIQUE INDEX agent_enrolment ON public.agent USING btree (enrolment) WHERE (enrolment IS NOT NULL);
CREATE UNIQUE INDEX agent_identity ON public.agent USING btree (identity);
CREATE INDEX agent_identity_before ON public.agent USING btree (identity_before) WHERE (identity_before IS NOT NULL);
CREATE INDEX agent_unshown ON public.agent USING btree (uid) WHERE (shown <> state);

create table at_rest (
  organization text not null,
  sealed boolean not null,
  since timestamp with time zone not null default now(),
  moved bigint not null default 0,
  looking_at text not null default ''::text,
  settled_at timestamp with time zone,
  constraint at_rest_pkey PRIMARY KEY (organization)
);

create table attempt (
  key bytea not null,
  count bigint not null,
  since timestamp with time zone not null,
  constraint attempt_pkey PRIMARY KEY (key)
);
CREATE INDEX attempt_since ON public.attempt USING btree (since);

create table audit (
  revision bigint not null,
  at timestamp with time zone not null,
  organization text not null,
  subject text not null,
  via text not null,
  address text not null,
  request_id text not null,
  operation text not null,
  outcome text not null,
  kind text not null,
  scope text not null,
  name text not null,
  uid uuid,
  reason text not null,
  detail jsonb not null,
  constraint audit_pkey PRIMARY KEY (revision),
  constraint audit_outcome_check CHECK ((outcome = ANY (ARRAY['done'::text, 'denied'::text])))
);
CREATE INDEX audit_organization ON public.audit USING btree (organization, revision);

create table audit_chain (
  organization text not null,
  revision bigint not null,
  previous bytea not null,
  hash bytea not null,
  constraint audit_chain_pkey PRIMARY KEY (organization, revision)
);

create table audit_head (
  organization text not null,
  revision bigint not null,
  at timestamp with time zone not null,
  hash bytea not null,
  checkpoint boolean not null,
  key text not null,
  signature text not null,
  published_at timestamp with time zone,
  constraint audit_head_pkey PRIMARY KEY (organization, revision)
);
CREATE INDEX audit_head_at ON public.audit_head USING btree (at);
CREATE INDEX audit_head_new ON public.audit_head USING btree (organization) WHERE (published_at IS NULL);

create table audit_sealed (
  id integer not null,
  revision bigint not null,
  signing_key jsonb,
  constraint audit_sealed_pkey PRIMARY KEY (id),
  constraint audit_sealed_id_check CHECK ((id = 1))
);

create table authority (
  id uuid not null,
  certificate text not null,
  signing_key jsonb not null,
  state text not null,
  made_at timestamp with time zone not null default now(),
  vouched text,
  constraint authority_pkey PRIMARY KEY (id),
  constraint authority_state_check CHECK ((state = ANY (ARRAY['current'::text, 'trusted'::text])))
);
CREATE UNIQUE INDEX authority_current ON public.authority USING btree (state) WHERE (state = 'current'::text);
CREATE INDEX authority_signing_key ON public.authority USING btree (((signing_key ->> 'key'::text)));

create table backfill (
  id uuid not null,
  workflow uuid not null,
  schedule text not null,
  from_at timestamp with time zone not null,
  until_at timestamp with time zone not null,
  ticks bigint not null,
  by text not null,
  at timestamp with time zone not null default now(),
  constraint backfill_pkey PRIMARY KEY (id)
);
CREATE INDEX backfill_at ON public.backfill USING btree (at);
CREATE INDEX backfill_workflow ON public.backfill USING btree (workflow, id);

create table bucket (
  bucket integer not null,
  holder text,
  session uuid,
  until timestamp with time zone not null default now(),
  constraint bucket_pkey PRIMARY KEY (bucket)
);

create table change (
  revision bigint not null,
  at timestamp with time zone not null,
  operation text not null,
  uid uuid not null,
  kind text not null,
  scope text not null,
  name text not null,
  was jsonb,
  object text not null,
  constraint change_pkey PRIMARY KEY (revision),
  constraint change_operation_check CHECK ((operation = ANY (ARRAY['created'::text, 'updated'::text, 'deleted'::text])))
);

create table claim (
  user_uid uuid not null,
  provider text not null,
  value text not null,
  constraint claim_pkey PRIMARY KEY (user_uid, provider, value)
);

create table credential (
  token_uid uuid not null,
  hash bytea not null,
  issued_at timestamp with time zone not null default now(),
  constraint credential_pkey PRIMARY KEY (token_uid),
  constraint credential_hash UNIQUE (hash)
);

create table data_key (
  id uuid not null,
  organization text not null,
  period text not null,
  sealed jsonb not null,
  constraint data_key_pkey PRIMARY KEY (id),
  constraint data_key_organization_period_key UNIQUE (organization, period)
);
CREATE INDEX data_key_sealed ON public.data_key USING btree (((sealed ->> 'key'::text)));

create table event (
  uid uuid not null,
  digest text not null,
  at timestamp with time zone not null,
  first_at timestamp with time zone not null,
  count integer not null,
  tone text not null,
  reason text not null,
  message text not null,
  constraint event_pkey PRIMARY KEY (uid, digest),
  constraint event_tone_check CHECK ((tone = ANY (ARRAY['normal'::text, 'warning'::text])))
);
CREATE INDEX event_at ON public.event USING btree (at);

create table exchanged_jti (
  issuer_uid uuid not null,
  jti bytea not null,
  expires_at timestamp with time zone not null,
  constraint exchanged_jti_pkey PRIMARY KEY (issuer_uid, jti)
);
CREATE INDEX exchanged_jti_expires ON public.exchanged_jti USING btree (expires_at);

create table federated_identity (
  id uuid not null,
  provider_uid uuid not null,
  subject text not null,
  user_uid uuid not null,
  linked_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone not null default now(),
  constraint federated_identity_pkey PRIMARY KEY (id),
  constraint federated_identity_subject UNIQUE (provider_uid, subject)
);
CREATE INDEX federated_identity_owner ON public.federated_identity USING btree (user_uid);

create table generation (
  uid uuid not null,
  generation bigint not null,
  revision bigint not null,
  at timestamp with time zone not null,
  author text not null,
  reason text not null,
  spec jsonb not null,
  constraint generation_pkey PRIMARY KEY (uid, generation)
);

create table group_claim (
  provider text not null,
  value text not null,
  group_uid uuid not null,
  constraint group_claim_pkey PRIMARY KEY (provider, value, group_uid)
);
CREATE INDEX group_claim_group ON public.group_claim USING btree (group_uid);

create table group_member (
  subject_uid uuid not null,
  group_uid uuid not null,
  constraint group_member_pkey PRIMARY KEY (subject_uid, group_uid)
);
CREATE INDEX group_member_group ON public.group_member USING btree (group_uid);

create table idempotency (
  caller text not null,
  key text not null,
  fingerprint text not null,
  outcome text,
  revision bigint,
  at timestamp with time zone not null default now(),
  answer jsonb,
  constraint idempotency_pkey PRIMARY KEY (caller, key)
);
CREATE INDEX idempotency_at ON public.idempotency USING btree (at);

create table installation (
  id integer not null,
  uid uuid not null,
  timeline uuid not null,
  created_at timestamp with time zone not null default now(),
  setup_hash bytea,
  setup_done_at timestamp with time zone,
  backed_up_at timestamp with time zone,
  restored_at timestamp with time zone,
  constraint installation_pkey PRIMARY KEY (id),
  constraint installation_id_check CHECK ((id = 1))
);

create table join_secret (
  token_uid uuid not null,
  hash bytea not null,
  constraint join_secret_pkey PRIMARY KEY (token_uid)
);

create table kept (
  resource_uid uuid not null,
  agent_uid uuid not null,
  seen jsonb,
  seen_at timestamp with time zone,
  constraint kept_pkey PRIMARY KEY (resource_uid, agent_uid)
);
CREATE INDEX kept_agent ON public.kept USING btree (agent_uid);

create table key_check (
  id uuid not null,
  sealed jsonb not null,
  constraint key_check_pkey PRIMARY KEY (id)
);

create table lane_mark (
  id uuid not null,
  at timestamp with time zone not null default now(),
  constraint lane_mark_pkey PRIMARY KEY (id)
);
CREATE INDEX lane_mark_at ON public.lane_mark USING btree (at);

create table log_attempt (
  run uuid not null,
  seq bigint not null,
  epoch bigint not null,
  agent uuid not null,
  out_bytes bigint not null default 0,
  err_bytes bigint not null default 0,
  out_sha256 bytea,
  err_sha256 bytea,
  constraint log_attempt_pkey PRIMARY KEY (run, seq, epoch)
);

create table log_chunk (
  run uuid not null,
  seq bigint not null,
  epoch bigint not null,
  number bigint not null,
  stream text not null,
  begins bigint not null,
  length bigint not null,
  packed boolean not null,
  data bytea,
  gap text,
  at timestamp with time zone not null default now(),
  sealed uuid,
  constraint log_chunk_pkey PRIMARY KEY (run, seq, epoch, number),
  constraint log_chunk_stream_check CHECK ((stream = ANY (ARRAY['stdout'::text, 'stderr'::text])))
);
CREATE UNIQUE INDEX log_chunk_number ON public.log_chunk USING btree (run, number);

create table log_run (
  run uuid not null,
  uid uuid not null,
  chunks bigint not null default 0,
  bytes bigint not null default 0,
  at timestamp with time zone not null default now(),
  archived_at timestamp with time zone,
  archived_to bigint not null default 0,
  removed_to bigint not null default 0,
  constraint log_run_pkey PRIMARY KEY (run)
);
CREATE INDEX log_run_at ON public.log_run USING btree (at);
CREATE INDEX log_run_uid ON public.log_run USING btree (uid, run);
CREATE INDEX log_run_unarchived ON public.log_run USING btree (at) WHERE (archived_to < chunks);

create table look (
  uid uuid not null,
  kind text not null,
  bucket integer not null,
  due_at timestamp with time zone,
  looked_at timestamp with time zone,
  outcome text not null default 'never'::text,
  why text not null default ''::text,
  failures integer not null default 0,
  replica text,
  constraint look_pkey PRIMARY KEY (uid),
  constraint look_outcome_check CHECK ((outcome = ANY (ARRAY['never'::text, 'done'::text, 'waiting'::text, 'failed'::text, 'paused'::text])))
);
CREATE INDEX look_due ON public.look USING btree (bucket, due_at) WHERE (due_at IS NOT NULL);

create table migration (
  room text not null,
  number integer not null,
  name text not null,
  hash text not null,
  at timestamp with time zone not null default now(),
  constraint migration_pkey PRIMARY KEY (room, number)
);

create table notice (
  resource_uid uuid not null,
  event text not null,
  id uuid not null,
  since timestamp with time zone not null default now(),
  told_at timestamp with time zone,
  told jsonb not null default '[]'::jsonb,
  why text,
  constraint notice_pkey PRIMARY KEY (resource_uid, event)
);

create table notification (
  id uuid not null,
  scope text not null,
  channel text not null,
  channel_uid uuid,
  message jsonb not null,
  state text not null,
  tries bigint not null default 0,
  due_at timestamp with time zone not null default now(),
  trouble text not null default ''::text,
  at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  constraint notification_pkey PRIMARY KEY (id),
  constraint notification_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'delivered'::text, 'dead'::text])))
);
CREATE INDEX notification_channel ON public.notification USING btree (channel_uid, state, id) WHERE (channel_uid IS NOT NULL);
CREATE INDEX notification_ended ON public.notification USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX notification_waiting ON public.notification USING btree (scope, channel, due_at) WHERE (state = 'waiting'::text);

create table passkey (
  id uuid not null,
  user_uid uuid not null,
  name text not null,
  credential text not null,
  public_key bytea not null,
  counter bigint not null,
  transports jsonb not null,
  created_at timestamp with time zone not null default now(),
  used_at timestamp with time zone not null default now(),
  constraint passkey_pkey PRIMARY KEY (id),
  constraint passkey_credential UNIQUE (credential)
);
CREATE INDEX passkey_owner ON public.passkey USING btree (user_uid);

create table password (
  user_uid uuid not null,
  hash text not null,
  changed_at timestamp with time zone not null default now(),
  constraint password_pkey PRIMARY KEY (user_uid)
);

create table provider_secret (
  provider_uid uuid not null,
  secret jsonb not null,
  constraint provider_secret_pkey PRIMARY KEY (provider_uid)
);
CREATE INDEX provider_secret_key ON public.provider_secret USING btree (((secret ->> 'key'::text)));

create table quota_use (
  quota uuid not null,
  used jsonb not null,
  told boolean not null,
  counted_at timestamp with time zone not null default now(),
  constraint quota_use_pkey PRIMARY KEY (quota)
);

create table recovery_code (
  user_uid uuid not null,
  hash bytea not null,
  constraint recovery_code_pkey PRIMARY KEY (user_uid, hash)
);

create table replica (
  name text not null,
  session uuid not null,
  peer_address text not null,
  certificate text not null,
  roles jsonb not null,
  version text not null,
  started_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone not null default now(),
  constraint replica_pkey PRIMARY KEY (name)
);

create table repository_folder (
  repository_uid uuid not null,
  folder text not null,
  tree text not null,
  revision text not null,
  digest text not null,
  content text not null,
  trouble text not null,
  constraint repository_folder_pkey PRIMARY KEY (repository_uid, folder)
);

create table resource (
  uid uuid not null,
  kind text not null,
  scope text not null,
  name text not null,
  generation bigint not null,
  revision bigint not null,
  labels jsonb not null,
  annotations jsonb not null,
  finalizers jsonb not null,
  owner jsonb,
  owner_uid uuid,
  paused boolean not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleting_at timestamp with time zone,
  deleting_force boolean not null default false,
  spec jsonb not null,
  status jsonb not null,
  bytes bigint not null default 0,
  constraint resource_pkey PRIMARY KEY (uid),
  constraint resource_address UNIQUE (kind, scope, name)
);
CREATE INDEX resource_owner ON public.resource USING btree (owner_uid) WHERE (owner_uid IS NOT NULL);

create table resource_label (
  kind text not null,
  key text not null,
  value text not null,
  scope text not null,
  name text not null,
  uid uuid not null,
  constraint resource_label_pkey PRIMARY KEY (kind, key, value, scope, name)
);

create table revision (
  id integer not null,
  value bigint not null,
  compacted bigint not null,
  quotas bigint not null default 0,
  constraint revision_pkey PRIMARY KEY (id),
  constraint revision_id_check CHECK ((id = 1))
);

create table root_key (
  id text not null,
  proof text not null,
  state text not null default 'current'::text,
  since timestamp with time zone not null default now(),
  constraint root_key_pkey PRIMARY KEY (id),
  constraint root_key_state_check CHECK ((state = ANY (ARRAY['current'::text, 'retired'::text])))
);
CREATE UNIQUE INDEX root_key_current ON public.root_key USING btree (state) WHERE (state = 'current'::text);

create table run (
  id uuid not null,
  scope text not null,
  kind text not null,
  name text not null,
  uid uuid not null,
  generation bigint not null,
  graph bytea not null,
  state text not null,
  why text not null default ''::text,
  cause text not null,
  by text not null,
  inputs jsonb not null,
  outputs jsonb,
  priority bigint not null default 0,
  limit_key text,
  scheduled_at timestamp with time zone,
  parent_run uuid,
  parent_seq bigint,
  paused_at timestamp with time zone,
  cancelled_at timestamp with time zone,
  timed_out boolean not null default false,
  open bigint not null,
  failed bigint not null default 0,
  settles boolean not null,
  wake_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  changed_at timestamp with time zone not null default now(),
  constraint run_pkey PRIMARY KEY (id),
  constraint run_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text, 'skipped'::text])))
);
CREATE INDEX run_about ON public.run USING btree (uid, id);
CREATE INDEX run_limited ON public.run USING btree (limit_key, id) WHERE ((limit_key IS NOT NULL) AND (ended_at IS NULL));
CREATE INDEX run_open ON public.run USING btree (id) WHERE (ended_at IS NULL);
CREATE INDEX run_parent ON public.run USING btree (parent_run) WHERE (parent_run IS NOT NULL);
CREATE INDEX run_scope ON public.run USING btree (scope, id);
CREATE INDEX run_wake ON public.run USING btree (wake_at) WHERE (wake_at IS NOT NULL);

create table run_event (
  run uuid not null,
  id uuid not null,
  at timestamp with time zone not null default now(),
  seq bigint,
  tone text not null,
  reason text not null,
  message text not null,
  by text not null default ''::text,
  constraint run_event_pkey PRIMARY KEY (run, id),
  constraint run_event_tone_check CHECK ((tone = ANY (ARRAY['normal'::text, 'warning'::text])))
);

create table run_graph (
  digest bytea not null,
  graph jsonb not null,
  at timestamp with time zone not null default now(),
  constraint run_graph_pkey PRIMARY KEY (digest)
);

create table run_keep (
  uid uuid not null,
  runs bigint,
  days double precision,
  constraint run_keep_pkey PRIMARY KEY (uid)
);

create table run_limit (
  key text not null,
  at timestamp with time zone not null default now(),
  constraint run_limit_pkey PRIMARY KEY (key)
);

create table run_promise (
  run uuid not null,
  what text not null,
  due_at timestamp with time zone not null,
  within_ms bigint not null,
  channels jsonb not null,
  constraint run_promise_pkey PRIMARY KEY (run, what),
  constraint run_promise_what_check CHECK ((what = ANY (ARRAY['start'::text, 'finish'::text])))
);
CREATE INDEX run_promise_due ON public.run_promise USING btree (due_at);

create table run_queue (
  id uuid not null,
  scope text not null,
  executor text not null,
  selector text not null,
  at timestamp with time zone not null default now(),
  constraint run_queue_pkey PRIMARY KEY (id),
  constraint run_queue_what UNIQUE (scope, executor, selector)
);

create table run_room (
  quota uuid not null,
  most bigint not null,
  room bigint not null,
  constraint run_room_pkey PRIMARY KEY (quota)
);

create table schedule (
  workflow uuid not null,
  name text not null,
  scope text not null,
  workflow_name text not null,
  spec jsonb not null,
  next_at timestamp with time zone,
  last_at timestamp with time zone,
  last_run uuid,
  trouble text not null default ''::text,
  constraint schedule_pkey PRIMARY KEY (workflow, name)
);
CREATE INDEX schedule_next ON public.schedule USING btree (next_at) WHERE (next_at IS NOT NULL);
CREATE INDEX schedule_scope ON public.schedule USING btree (scope, workflow_name, name);

create table schedule_tick (
  workflow uuid not null,
  schedule text not null,
  tick timestamp with time zone not null,
  run uuid not null,
  backfill uuid,
  at timestamp with time zone not null default now(),
  constraint schedule_tick_pkey PRIMARY KEY (workflow, schedule, tick)
);
CREATE INDEX schedule_tick_at ON public.schedule_tick USING btree (at);
CREATE INDEX schedule_tick_backfill ON public.schedule_tick USING btree (backfill, tick) WHERE (backfill IS NOT NULL);

create table scope_key (
  id uuid not null,
  organization text not null,
  root text not null,
  wrapped text not null,
  state text not null default 'current'::text,
  since timestamp with time zone not null default now(),
  constraint scope_key_pkey PRIMARY KEY (id),
  constraint scope_key_root_fkey FOREIGN KEY (root) REFERENCES root_key(id),
  constraint scope_key_state_check CHECK ((state = ANY (ARRAY['current'::text, 'retired'::text])))
);
CREATE UNIQUE INDEX scope_key_current ON public.scope_key USING btree (organization) WHERE (state = 'current'::text);
CREATE INDEX scope_key_root ON public.scope_key USING btree (root);

create table secret_use (
  user_uid uuid not null,
  pointer text not null,
  scope text not null,
  name text not null,
  key text not null,
  secret_scope text,
  constraint secret_use_pkey PRIMARY KEY (user_uid, pointer, name, key)
);
CREATE INDEX secret_use_name ON public.secret_use USING btree (name, scope);

create table secret_version (
  secret_uid uuid not null,
  version integer not null,
  sealed jsonb not null,
  constraint secret_version_pkey PRIMARY KEY (secret_uid, version)
);
CREATE INDEX secret_version_key ON public.secret_version USING btree (((sealed ->> 'key'::text)));

create table service_bundle (
  digest text not null,
  content text not null,
  at timestamp with time zone not null default now(),
  scope text not null default ''::text,
  constraint service_bundle_pkey PRIMARY KEY (digest)
);
CREATE INDEX service_bundle_at ON public.service_bundle USING btree (at);

create table service_delivery (
  agent_uid uuid not null,
  digest text not null,
  at timestamp with time zone not null default now(),
  repository_uid uuid,
  constraint service_delivery_pkey PRIMARY KEY (agent_uid, digest)
);
CREATE INDEX service_delivery_at ON public.service_delivery USING btree (at);

create table service_source (
  service_uid uuid not null,
  scope text not null,
  repository text not null,
  folder text not null,
  constraint service_source_pkey PRIMARY KEY (service_uid)
);
CREATE INDEX service_source_repository ON public.service_source USING btree (repository);

create table session (
  id uuid not null,
  hash bytea not null,
  user_uid uuid not null,
  created_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  address text not null,
  agent text not null,
  factors jsonb not null default '["password"]'::jsonb,
  authenticated_at timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  constraint session_pkey PRIMARY KEY (id),
  constraint session_hash UNIQUE (hash)
);
CREATE INDEX session_expires ON public.session USING btree (expires_at);
CREATE INDEX session_owner ON public.session USING btree (user_uid);

create table step (
  run uuid not null,
  seq bigint not null,
  def bigint not null,
  parent bigint,
  item jsonb,
  state text not null,
  reason text,
  why text not null default ''::text,
  pending bigint not null,
  troubled boolean not null default false,
  plain boolean not null,
  queue uuid not null,
  priority bigint not null default 0,
  limit_key text,
  at_most_once boolean not null default false,
  exclusive boolean not null default false,
  epoch bigint not null default 0,
  attempt bigint not null default 0,
  tries bigint not null default 0,
  agent uuid,
  child uuid,
  first_ready_at timestamp with time zone,
  ready_at timestamp with time zone,
  offered_at timestamp with time zone,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  stopping_at timestamp with time zone,
  wake_at timestamp with time zone,
  exit_code bigint,
  outputs jsonb,
  changed_at timestamp with time zone not null default now(),
  awaits text generated always as (
CASE
    WHEN (state = 'ready'::text) THEN 'claim'::text
    WHEN (state = 'due'::text) THEN 'decision'::text
    WHEN ((state = ANY (ARRAY['offered'::text, 'running'::text])) OR (reason = 'lost'::text)) THEN 'agent'::text
    ELSE NULL::text
END) stored,
  constraint step_pkey PRIMARY KEY (run, seq),
  constraint step_state_check CHECK ((state = ANY (ARRAY['blocked'::text, 'due'::text, 'ready'::text, 'offered'::text, 'running'::text, 'waiting'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text, 'skipped'::text])))
);
CREATE INDEX step_child ON public.step USING btree (child) WHERE (child IS NOT NULL);
CREATE INDEX step_due ON public.step USING btree (run, seq) WHERE (awaits = 'decision'::text);
CREATE INDEX step_held ON public.step USING btree (agent, run, seq) WHERE (awaits = 'agent'::text);
CREATE INDEX step_limited ON public.step USING btree (limit_key, priority DESC, ready_at, run, seq) WHERE ((limit_key IS NOT NULL) AND (ended_at IS NULL));
CREATE INDEX step_person ON public.step USING btree (run, seq) WHERE (reason = ANY (ARRAY['approval'::text, 'lost'::text]));
CREATE INDEX step_ready ON public.step USING btree (queue, priority DESC, ready_at, run, seq) WHERE (awaits = 'claim'::text);
CREATE INDEX step_stopping ON public.step USING btree (agent) WHERE ((stopping_at IS NOT NULL) AND (awaits = 'agent'::text));
CREATE INDEX step_under ON public.step USING btree (limit_key) WHERE ((limit_key IS NOT NULL) AND ((awaits = ANY (ARRAY['claim'::text, 'agent'::text, 'decision'::text])) OR (reason = ANY (ARRAY['timer'::text, 'approval'::text, 'run'::text, 'resource'::text]))));
CREATE INDEX step_wake ON public.step USING btree (wake_at) WHERE (wake_at IS NOT NULL);

create table step_attempt (
  run uuid not null,
  seq bigint not null,
  epoch bigint not null,
  attempt bigint not null,
  agent uuid,
  state text not null,
  why text not null,
  exit_code bigint,
  offered_at timestamp with time zone,
  started_at timestamp with time zone,
  ended_at timestamp with time zone not null,
  constraint step_attempt_pkey PRIMARY KEY (run, seq, epoch),
  constraint step_attempt_state_check CHECK ((state = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text, 'lost'::text, 'returned'::text])))
);

create table terminal_recording (
  id uuid not null,
  scope text not null,
  kind text not null,
  name text not null,
  verb text not null,
  host text not null,
  subject text not null,
  detail jsonb not null,
  at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  digest bytea,
  bytes bigint not null default 0,
  constraint terminal_recording_pkey PRIMARY KEY (id)
);
CREATE INDEX terminal_recording_at ON public.terminal_recording USING btree (at, id);

create table terminal_recording_part (
  recording_id uuid not null,
  part integer not null,
  data bytea not null,
  sealed uuid,
  constraint terminal_recording_part_pkey PRIMARY KEY (recording_id, part),
  constraint terminal_recording_part_recording_id_fkey FOREIGN KEY (recording_id) REFERENCES terminal_recording(id) ON DELETE CASCADE
);

create table terminal_ticket (
  hash bytea not null,
  subject_uid uuid not null,
  opens jsonb not null,
  at timestamp with time zone not null default now(),
  constraint terminal_ticket_pkey PRIMARY KEY (hash)
);
CREATE INDEX terminal_ticket_at ON public.terminal_ticket USING btree (at);

create table ticket (
  hash bytea not null,
  use text not null,
  user_uid uuid,
  detail jsonb not null,
  expires_at timestamp with time zone not null,
  constraint ticket_pkey PRIMARY KEY (hash)
);
CREATE INDEX ticket_expires ON public.ticket USING btree (expires_at);

create table totp (
  id uuid not null,
  user_uid uuid not null,
  name text not null,
  seed jsonb not null,
  last_step bigint not null,
  created_at timestamp with time zone not null default now(),
  used_at timestamp with time zone not null default now(),
  constraint totp_pkey PRIMARY KEY (id)
);
CREATE INDEX totp_owner ON public.totp USING btree (user_uid);
CREATE INDEX totp_seed_key ON public.totp USING btree (((seed ->> 'key'::text)));

create table usage_window (
  agent_uid uuid not null,
  step bigint not null,
  from_at timestamp with time zone not null,
  uids uuid[] not null,
  series bytea[] not null,
  constraint usage_window_pkey PRIMARY KEY (agent_uid, step, from_at)
);
CREATE INDEX usage_window_from ON public.usage_window USING btree (step, from_at);

create table webhook_call (
  workflow uuid not null,
  call bytea not null,
  run uuid not null,
  at timestamp with time zone not null default now(),
  constraint webhook_call_pkey PRIMARY KEY (workflow, call)
);
CREATE INDEX webhook_call_at ON public.webhook_call USING btree (at);

create table workload_token (
  id uuid not null,
  hash bytea not null,
  issuer_uid uuid not null,
  issuer_generation bigint not null,
  account_uid uuid not null,
  scope text not null,
  workload text not null,
  created_at timestamp with time zone not null default now(),
  seen_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  address text not null,
  constraint workload_token_pkey PRIMARY KEY (id),
  constraint workload_token_hash UNIQUE (hash)
);
CREATE INDEX workload_token_expires ON public.workload_token USING btree (expires_at);
CREATE INDEX workload_token_scope ON public.workload_token USING btree (scope);
