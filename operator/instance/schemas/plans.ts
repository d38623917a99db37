import {
  answer,
  choice,
  flag,
  input,
  instant,
  integer,
  list,
  nullable,
  optional,
  Type,
  text,
} from "../../../core/schema/schema.ts";
import { PLANS } from "../../licences.ts";

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
