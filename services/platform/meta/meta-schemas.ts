import { LOCALES } from "../../../core/config/defaults.ts";
import { answer, choice, flag, input, instant, list, nullable, optional, Type, text, uuid } from "../../../core/schema/schema.ts";

const MODULES = {
  enabled_modules: "Modules that are switched on. Sent, it replaces the set",
  licensed_modules: "Licensed modules that a licence or the plan covers",
  entitled_modules: "Modules that can be written now; writes of any other answer 402",
};

const TENANT = {
  ...MODULES,
  slug: "First label of the organisation's own host name",
  brand_name: "Name of the organisation on pages, mails and documents",
  logo_url: "Address of the logo; null if none",
  icon_url: "Address of the icon; null if none",
  primary_color: "Main colour as `#rrggbb`; null for the application's",
  accent_color: "Second colour as `#rrggbb`; null for the application's",
  locale: "Language of the organisation",
  timezone: "Time zone of the organisation, as in the IANA database. Days, weeks and months are cut on it",
  currency: "Currency of the organisation, ISO 4217",
  country: "Country of the organisation, ISO 3166-1 alpha-2",
  posture: "`hosted`: an operator runs it for several organisations; `self-hosted`",
  suspended: "Whether the operator suspended the organisation",
};

const names = () => list(Type.String());

const branding = {
  brand_name: Type.String(),
  logo_url: nullable(Type.String()),
  icon_url: nullable(Type.String()),
  primary_color: nullable(Type.String()),
  accent_color: nullable(Type.String()),
};

export const TenantMeta = answer(
  "TenantMeta",
  {
    slug: Type.String(),
    ...branding,
    locale: Type.String(),
    timezone: Type.String(),
    currency: Type.String(),
    country: Type.String(),
    enabled_modules: names(),
    licensed_modules: names(),
    entitled_modules: names(),
    posture: choice(["self-hosted", "hosted"]),
    suspended: flag(),
  },
  TENANT,
);

/** `""` clears optional texts and addresses, and leaves required ones unchanged (conventions §22). */
export const TenantMetaUpdate = input(
  "TenantMetaUpdate",
  {
    brand_name: optional(text(255)),
    logo_url: optional(nullable(text(2000))),
    icon_url: optional(nullable(text(2000))),
    primary_color: optional(nullable(text(7))),
    accent_color: optional(nullable(text(7))),
    locale: optional(text(35)),
    timezone: optional(text(64)),
    currency: optional(text(3)),
    country: optional(text(2)),
    enabled_modules: optional(Type.Array(text(100), { maxItems: 200 })),
  },
  TENANT,
);

export const ModulesMeta = answer(
  "ModulesMeta",
  {
    enabled_modules: names(),
    licensed_modules: names(),
    entitled_modules: names(),
    local_login_enabled: flag(),
    oidc_enabled: flag(),
    oidc_name: nullable(Type.String()),
    supported_locales: names(),
  },
  {
    ...MODULES,
    local_login_enabled: "Whether members may sign in with a password",
    oidc_enabled: "Whether members may sign in with the organisation's provider",
    oidc_name: "Name of that provider on the sign-in page; null if not enabled",
    supported_locales: "Languages that the service speaks",
  },
);

export const OwnMeta = answer(
  "OwnMeta",
  {
    id: nullable(uuid()),
    email: nullable(Type.String()),
    full_name: nullable(Type.String()),
    permissions: names(),
    locale: nullable(Type.String()),
    avatar_url: nullable(Type.String()),
    is_portal: flag(false),
    impersonated_by: nullable(Type.String()),
    impersonation_expires_at: nullable(instant()),
    impersonation_kind: nullable(Type.String()),
    impersonation_narrowed: flag(false),
  },
  {
    id: "The account; null for a service account and the operator",
    email: "E-mail address of the account; null without one",
    full_name: "Full name; null if none",
    permissions: "Permissions of this call, in stored form; `*` alone for an owner",
    locale: "Language of the person; null for the organisation's",
    avatar_url: "Address of the picture; null if none",
    is_portal: "Whether it is a client login",
    impersonated_by: "Full name, else e-mail address, of the person acting in this login; null if none",
    impersonation_expires_at: "When that person's access to this login ends, UTC; null if nobody acts in it",
    impersonation_kind: "`portal` while a member acts in this client login; null otherwise",
    impersonation_narrowed:
      "Whether the call has fewer permissions or clients than the login, because of the person acting in it",
  },
);

export const OwnMetaUpdate = input(
  "OwnMetaUpdate",
  {
    full_name: optional(nullable(text(255))),
    locale: optional(nullable(choice(LOCALES))),
    custom_avatar_url: optional(nullable(text(2000))),
  },
  {
    full_name: "Full name of the account; null clears it",
    locale: "Language of the person; null for the organisation's",
    custom_avatar_url: "Address of a picture that replaces the provider's; null clears it",
  },
);
