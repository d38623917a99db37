import { CAPABILITIES } from "../../core/declare/instance.ts";
import { STATES } from "../../core/jobs/operating.ts";
import {
  answer,
  choice,
  field,
  flag,
  input,
  instant,
  integer,
  json,
  label,
  list,
  nullable,
  optional,
  Type,
  text,
  uuid,
} from "../../core/schema/schema.ts";
import { PLANS } from "../licences.ts";

/** One capability. */
export const capability = () => choice([...CAPABILITIES]);
const secretText = (longest: number) => Type.Unsafe<string>({ type: "string", format: "password", maxLength: longest });

export const SignInForm = input(
  "InstanceSignInForm",
  { email: text(320, { example: "operator@agency.example" }), password: secretText(1024) },
  { email: "E-mail address of the administrator, in any case", password: "Password of the administrator" },
);

export const SignInChallenge = answer(
  "InstanceSignInChallenge",
  {
    challenge_token: Type.String(),
    expires_in: integer(),
    new_password_required: flag(),
    enrolment: nullable(
      answer(
        "InstanceEnrolment",
        { secret: Type.String(), otpauth_url: Type.String() },
        { secret: "Secret for an authenticator app, in base32", otpauth_url: "The same as an address that an app scans" },
      ),
    ),
  },
  {
    challenge_token: "Token for `POST /instance/auth/verify`",
    expires_in: "Seconds that the token is good for",
    new_password_required: "Whether the second step has to send `new_password`, because another person passed on the present one",
    enrolment: "The second factor to enrol; null once it is confirmed",
  },
);

export const VerifyForm = input(
  "InstanceVerifyForm",
  {
    challenge_token: Type.String({ minLength: 64, maxLength: 64, example: "0".repeat(64) }),
    code: text(20, { example: "123456" }),
    new_password: optional(secretText(1024)),
  },
  {
    challenge_token: "Token of `POST /instance/auth/login`",
    code: "Six digits of the authenticator app; they confirm the second factor the first time",
    new_password: "The administrator's own password of 8 to 128 characters; required if the token says so",
  },
);

export const PasswordForm = input(
  "InstancePasswordForm",
  { current_password: secretText(1024), new_password: secretText(1024) },
  { current_password: "Present password", new_password: "New password of 8 to 128 characters" },
);

export const Me = answer(
  "InstanceMe",
  {
    id: uuid(),
    email: Type.String(),
    full_name: nullable(Type.String()),
    capabilities: list(capability()),
    organisations: nullable(list(uuid())),
    credential: choice(["session", "key"]),
  },
  {
    id: "Id of the administrator",
    email: "E-mail address of the administrator",
    full_name: "Name of the administrator; null if none was entered",
    capabilities: "What the credential allows now: those that the administrator has, and for a key those that it was given",
    organisations: "Ids of the only organisations that the key concerns; null for all",
    credential: "Whether the caller presented a session or a key",
  },
);

const SUSPENSION = {
  suspended_at: nullable(instant()),
  suspended_reason: nullable(Type.String()),
  purge_at: nullable(instant()),
};
const SUSPENSION_TEXTS = {
  suspended_at: "When the operator suspended it; null if that is not so",
  suspended_reason: "Why it is suspended, or why it is to be deleted, as the operator wrote it; null without one",
  purge_at: "When everything of it is deleted for good; null unless its deletion was requested",
};

export const OrganisationRead = answer(
  "InstanceOrganisation",
  {
    id: uuid(),
    slug: Type.String(),
    name: Type.String(),
    state: choice(["active", "suspended", "deleting"]),
    ...SUSPENSION,
    hostname: Type.String(),
    domains: list(Type.String()),
    plan: choice([...PLANS]),
    plan_ends_at: nullable(instant()),
    enabled_modules: list(Type.String()),
    instance_mail: flag(),
    members: integer(),
    created_at: instant(),
  },
  {
    id: "Id of the organisation",
    slug: "First label of its address below the base domain",
    name: "Its name",
    state: "`active`; `suspended` by the operator; `deleting` while it waits for its purge, in which it is suspended, too",
    ...SUSPENSION_TEXTS,
    hostname: "Its address below the base domain",
    domains: "Its verified domains, in order of the alphabet",
    plan: "Plan of a hosted organisation; it has no effect on a self-hosted installation",
    plan_ends_at: "When the plan ends; null if it does not",
    enabled_modules: "Modules that are switched on",
    instance_mail: "Whether it may use the mail transport of the installation",
    members: "Number of active members",
    created_at: "When it was created",
  },
);

export const OrganisationPage = answer(
  "InstanceOrganisationPage",
  {
    items: list(OrganisationRead),
    total: integer(),
    limit: integer(),
    next_cursor: nullable(Type.String()),
  },
  {
    items: "The organisations of this page, by slug",
    total: "Number of organisations on all pages",
    limit: "Largest number on a page, as requested",
    next_cursor: "Value of `cursor` for the next page; null on the last",
  },
);

export const OrganisationQuery = {
  q: optional(field(text(200), "Only organisations with this text in slug, name or a verified domain, in any case")),
  state: optional(field(choice(["active", "suspended", "deleting"]), "Only organisations in this state")),
  limit: optional(field(integer(1, 200, { default: 50 }), "Largest number of organisations on a page")),
  cursor: optional(field(text(100), "`next_cursor` of the page before; all other parameters must be the same")),
};

export const OrganisationCreate = input(
  "InstanceOrganisationCreate",
  { slug: text(63, { example: "agency" }), name: optional(label(200)) },
  {
    slug: "First label of its address: 1 to 63 of a-z, 0-9 and -, no dash at either end, and none of the reserved names",
    name: "Its name; the slug if absent",
  },
);

export const Reason = input(
  "InstanceReason",
  { reason: optional(nullable(label(500))) },
  { reason: "Why, for other administrators; members do not see it" },
);

export const DeletionRequest = input(
  "InstanceDeletionRequest",
  {
    reason: optional(nullable(label(500))),
    days: optional(integer(1, 365, { default: 30 })),
  },
  { reason: "Why, for other administrators; members do not see it", days: "Days until the purge" },
);

export const PurgeConfirmation = input(
  "InstancePurgeConfirmation",
  { slug: text(63, { example: "agency" }) },
  { slug: "The slug of the organisation once more: what is purged cannot be restored" },
);

export const Purged = answer(
  "InstancePurged",
  { rows: integer(), accounts: integer(), files: integer() },
  {
    rows: "Number of rows that were deleted in all tables",
    accounts: "Number of accounts that were deleted, because they belonged to this organisation alone",
    files: "Number of stored files whose bytes were removed",
  },
);

export const AuditLine = answer(
  "InstanceAuditLine",
  {
    id: uuid(),
    created_at: instant(),
    action: Type.String(),
    actor: Type.String(),
    administrator_id: nullable(uuid()),
    key_id: nullable(uuid()),
    organisation_id: nullable(uuid()),
    organisation_slug: nullable(Type.String()),
    address: nullable(Type.String()),
    request_id: nullable(Type.String()),
    detail: json(),
  },
  {
    id: "Id of the line",
    created_at: "When it happened",
    action: "Name of the act",
    actor: "E-mail address of the administrator, or `command line`, or `operator` for service access",
    administrator_id: "Id of the administrator; null for the command line and for service access",
    key_id: "Id of the key that was presented; null if none was",
    organisation_id: "Id of the organisation that it was about, which may be gone; null if it was about none",
    organisation_slug: "Slug that the organisation had then; null if it was about none",
    address: "Network address of the caller; null for the command line and for service access",
    request_id: "Value of `X-Request-Id`; null for the command line and for service access",
    detail: "Facts of the act",
  },
);

export const AuditPage = answer(
  "InstanceAuditPage",
  { items: list(AuditLine), limit: integer(), next_cursor: nullable(Type.String()) },
  {
    items: "The lines of this page, the newest first",
    limit: "Largest number on a page, as requested",
    next_cursor: "Value of `cursor` for older lines; null on the last page",
  },
);

export const AuditQuery = {
  organisation_id: optional(field(uuid(), "Only lines about this organisation")),
  limit: optional(field(integer(1, 200, { default: 50 }), "Largest number of lines on a page")),
  cursor: optional(field(uuid(), "`next_cursor` of the page before; all other parameters must be the same")),
};

export const PlanList = answer(
  "InstancePlans",
  { plans: list(Type.String()), modules: list(Type.String()), licensed: list(Type.String()) },
  {
    plans: "Plans that a hosted organisation can have",
    modules: "Modules that an organisation can switch on and off",
    licensed: "Modules that a licence of the installation can cover",
  },
);

export const PlanChange = input(
  "InstancePlanChange",
  { plan: choice([...PLANS], { example: "standard" }), ends_at: optional(nullable(instant())) },
  { plan: "The plan from now on", ends_at: "When it ends; null or absent if it does not" },
);

export const ModulesChange = input(
  "InstanceModulesChange",
  { modules: Type.Array(text(60), { minItems: 1, maxItems: 50, example: ["tasks"] }), enabled: flag() },
  { modules: "Names of the modules", enabled: "Whether to switch them on or off; a licensed module needs its licence" },
);

export const MailChange = input(
  "InstanceMailChange",
  { instance_mail: flag() },
  { instance_mail: "Whether it may use the mail transport of the installation; its own choice stays stored" },
);

const LicenceRead = answer(
  "InstanceLicence",
  { module: Type.String(), expires_at: instant(), grace_days: integer() },
  {
    module: "Name of the licensed module",
    expires_at: "When its licence expires",
    grace_days: "Days after the expiry in which its organisations can still write",
  },
);
export const LicenceList = list(LicenceRead);

export const LicenceChange = input(
  "InstanceLicenceChange",
  {
    modules: Type.Array(text(60), { minItems: 1, maxItems: 50, example: ["domains"] }),
    expires_at: instant(),
    grace_days: optional(integer(0, 9999, { default: 0 })),
  },
  {
    modules: "Names of licensed modules, or `all` alone",
    expires_at: "When their licence expires",
    grace_days: "Days after the expiry in which organisations can still write",
  },
);

export const AdministratorRead = answer(
  "InstanceAdministrator",
  {
    id: uuid(),
    email: Type.String(),
    full_name: nullable(Type.String()),
    capabilities: list(capability()),
    is_active: flag(),
    has_second_factor: flag(),
    created_at: instant(),
  },
  {
    id: "Id of the administrator",
    email: "E-mail address to sign in with",
    full_name: "Name; null if none was entered",
    capabilities: "What the administrator has the right to",
    is_active: "Whether the administrator can sign in; keys of a deactivated one do not work",
    has_second_factor: "Whether the second factor is confirmed, which happens with the first sign-in",
    created_at: "When the administrator was added",
  },
);
export const AdministratorList = list(AdministratorRead);

const capabilities = () => Type.Array(capability(), { maxItems: CAPABILITIES.length, example: ["organisations", "plans"] });

export const AdministratorCreate = input(
  "InstanceAdministratorCreate",
  {
    email: text(320, { example: "colleague@agency.example" }),
    full_name: optional(nullable(label(200))),
    capabilities: capabilities(),
  },
  {
    email: "E-mail address to sign in with",
    full_name: "Name; null or absent for none",
    capabilities: "What the administrator has the right to, of what you have",
  },
);

export const AdministratorAdded = answer(
  "InstanceAdministratorAdded",
  { id: uuid(), email: Type.String(), capabilities: list(capability()), password: Type.String() },
  {
    id: "Id of the administrator",
    email: "E-mail address in lower case",
    capabilities: "What the administrator has the right to",
    password: "Password of the first sign-in, shown once; it works for seven days",
  },
);

export const AdministratorReset = answer(
  "InstanceAdministratorReset",
  { password: Type.String() },
  { password: "Password of the next sign-in, shown once; it works for seven days" },
);

export const AdministratorChange = input(
  "InstanceAdministratorChange",
  {
    full_name: optional(nullable(label(200))),
    capabilities: optional(capabilities()),
    is_active: optional(flag()),
  },
  {
    full_name: "Name; null clears it",
    capabilities: "What the administrator has the right to from now on",
    is_active: "Whether the administrator can sign in",
  },
);

const KEY = {
  id: uuid(),
  administrator_id: uuid(),
  name: Type.String(),
  lookup: Type.String(),
  capabilities: list(capability()),
  organisations: nullable(list(uuid())),
  expires_at: nullable(instant()),
  revoked_at: nullable(instant()),
  last_used_at: nullable(instant()),
  created_at: instant(),
};
const KEY_TEXTS = {
  id: "Id of the key",
  administrator_id: "Id of the administrator whose key it is",
  name: "What the key is for",
  lookup: "The twelve characters of its value that are no secret",
  capabilities: "What the key allows, as far as its administrator has it at the time of a call",
  organisations: "Ids of the only organisations that it concerns; null for all",
  expires_at: "When it stops working; null if it does not",
  revoked_at: "When it was revoked; null if it was not",
  last_used_at: "When it was last used, to the minute; null if it never was",
  created_at: "When it was issued",
};

export const KeyRead = answer("InstanceKey", KEY, KEY_TEXTS);
export const KeyList = list(KeyRead);
export const KeyCreated = answer(
  "InstanceKeyCreated",
  { ...KEY, value: Type.String() },
  { ...KEY_TEXTS, value: "Value of `X-API-Key`, shown once" },
);

export const KeyCreate = input(
  "InstanceKeyCreate",
  {
    name: label(120),
    capabilities: Type.Array(capability(), { minItems: 1, maxItems: CAPABILITIES.length, example: ["organisations"] }),
    organisations: optional(nullable(Type.Array(uuid(), { minItems: 1, maxItems: 1000 }))),
    expires_at: optional(nullable(instant())),
  },
  {
    name: "What the key is for",
    capabilities: "What the key allows, of what you have",
    organisations: "Ids of the only organisations that it concerns; null or absent for all",
    expires_at: "When it stops working, at most a year ahead; null or absent if it does not",
  },
);

const MemberRead = answer(
  "InstanceMember",
  {
    account_id: uuid(),
    membership_id: uuid(),
    email: Type.String(),
    full_name: nullable(Type.String()),
    roles: list(Type.String()),
    is_active: flag(),
    is_superuser: flag(),
  },
  {
    account_id: "Id of the account, which may belong to other organisations, too",
    membership_id: "Id of the membership",
    email: "E-mail address of the account",
    full_name: "Name of the account; null if none was entered",
    roles: "Keys of the member's roles",
    is_active: "Whether the member can sign in",
    is_superuser: "Whether the account sees the operator's pages on the organisation's own host",
  },
);
export const MemberList = list(MemberRead);

export const UserCreate = input(
  "InstanceUserCreate",
  {
    email: text(320, { example: "owner@agency.example" }),
    full_name: optional(nullable(label(200))),
    role: optional(choice(["owner", "admin", "member", "client"], { default: "member" })),
  },
  {
    email: "E-mail address of the person",
    full_name: "Name of a new account; null or absent for none",
    role: "System role of the member",
  },
);

export const UserCreated = answer(
  "InstanceUserCreated",
  {
    account_id: uuid(),
    membership_id: uuid(),
    email: Type.String(),
    role: Type.String(),
    existing_account: flag(),
    password: nullable(Type.String()),
  },
  {
    account_id: "Id of the account",
    membership_id: "Id of the membership",
    email: "E-mail address in lower case",
    role: "System role of the member",
    existing_account: "Whether the address had an account already",
    password: "Password of a new account, shown once; null if the account keeps its own",
  },
);

export const AccountEmail = input(
  "InstanceAccountEmail",
  { email: text(320, { example: "owner@agency.example" }) },
  { email: "E-mail address of the account" },
);

export const MemberDeactivated = answer(
  "InstanceMemberDeactivated",
  { account_id: uuid(), membership_id: uuid(), changed: flag() },
  {
    account_id: "Id of the account",
    membership_id: "Id of the membership",
    changed: "False if the member was deactivated already",
  },
);

export const NewPassword = answer(
  "InstanceNewPassword",
  { account_id: uuid(), password: Type.String() },
  { account_id: "Id of the account", password: "The new password, shown once" },
);

export const OrganisationKeyCreate = input(
  "InstanceOrganisationKeyCreate",
  {
    service_account: label(120),
    name: optional(label(120)),
    scopes: Type.Array(text(100), { minItems: 1, maxItems: 500, example: ["companies.company.read"] }),
    expires_at: optional(nullable(instant())),
  },
  {
    service_account: "Name of the service account, which is created if it is new",
    name: "Name of the key; that of the service account if absent",
    scopes: "Permissions of the key, or `all` alone",
    expires_at: "When it stops working, at most a year ahead; null or absent if it does not",
  },
);

export const OrganisationKeyCreated = answer(
  "InstanceOrganisationKeyCreated",
  {
    id: uuid(),
    value: Type.String(),
    name: Type.String(),
    service_account_id: uuid(),
    scopes: list(Type.String()),
    expires_at: nullable(instant()),
  },
  {
    id: "Id of the key",
    value: "Value of `X-API-Key` on the organisation's host, shown once",
    name: "Name of the key",
    service_account_id: "Id of the service account",
    scopes: "Permissions of the key",
    expires_at: "When it stops working; null if it does not",
  },
);

export const JobRead = answer(
  "InstanceJob",
  {
    id: Type.String(),
    name: Type.String(),
    state: Type.String(),
    organisation: nullable(uuid()),
    due_at: nullable(instant()),
    locked_at: nullable(instant()),
    failures: integer(),
    failed_at: nullable(instant()),
    error: nullable(Type.String()),
    schedule: nullable(Type.String()),
    payload: json(),
  },
  {
    id: "Id of the job",
    name: "Name of the job",
    state: "`running`, `queued`, `scheduled`, `repeating`, `failed`, `completed` or `paused`",
    organisation: "Id of its organisation; null for a job of the installation",
    due_at: "When it runs; null if it does not run again",
    locked_at: "Since when a node runs it; null if none does",
    failures: "Number of failed attempts",
    failed_at: "When it failed last; null if it did not",
    error: "The last error; null if there is none",
    schedule: "The clock that repeats it, as cron expression; null for a job that runs once",
    payload: "What it was given; texts other than ids and kinds are masked",
  },
);
export const JobList = list(JobRead);
export const JobPage = answer(
  "InstanceJobPage",
  { jobs: list(JobRead), total: integer() },
  { jobs: "The jobs, the next one first", total: "Number of jobs that match" },
);

const jobName = () => optional(field(text(100), "Only jobs of this name"));
export const NameQuery = { name: jobName() };
export const JobQuery = {
  name: jobName(),
  state: optional(field(choice([...STATES]), "Only jobs in this state")),
  limit: optional(field(integer(1, 1000, { default: 50 }), "Most jobs to list")),
};

export const RetryDead = input(
  "InstanceRetryDead",
  { name: optional(nullable(text(100))) },
  { name: "Only jobs of this name; null or absent for all" },
);

export const DomainRead = answer(
  "InstanceDomain",
  {
    id: uuid(),
    hostname: Type.String(),
    verified_at: nullable(instant()),
    created_at: instant(),
    proof: nullable(
      answer(
        "InstanceDomainProof",
        { name: Type.String(), value: Type.String() },
        { name: "Name of the TXT record", value: "Text of the TXT record" },
      ),
    ),
  },
  {
    id: "Id of the domain",
    hostname: "The host name, in lower case",
    verified_at: "When it was linked; null for a claim, at which the organisation does not answer",
    created_at: "When it was claimed",
    proof: "The TXT record that proves the claim; null once it is linked",
  },
);
export const DomainList = list(DomainRead);

export const DomainClaim = input(
  "InstanceDomainClaim",
  { hostname: text(253, { example: "office.agency.example" }), is_trusted: optional(flag(false)) },
  {
    hostname: "The host name, without scheme, port and path",
    is_trusted: "Whether to link it without a proof",
  },
);
