import {
  answer,
  field,
  flag,
  input,
  instant,
  nullable,
  optional,
  Type,
  text,
  uuid,
  writeOnly,
} from "../../../core/schema/schema.ts";

export const MarketingWebsiteCredential = answer("MarketingWebsiteCredential", {
  website_id: field(uuid(), "Website whose plugin is read"),
  configured: field(flag(), "Whether a user name and password are stored"),
  address: nullable(
    Type.String({ description: "Address of the WordPress site, its folder included; null without a credential" }),
  ),
  username: nullable(Type.String({ description: "Name of the WordPress user that reads the plugin; null without a credential" })),
  updated_at: nullable(field(instant(), "When the credential was last changed, UTC; null without one")),
});

export const MarketingWebsiteCredentialWrite = input("MarketingWebsiteCredentialWrite", {
  address: text(2_048, {
    minLength: 1,
    description:
      "Address of the WordPress site, `https` or `http`, with the folder it is installed in; without query, user name or password",
  }),
  username: text(255, { minLength: 1, description: "Name of a WordPress user who may manage options" }),
  password: optional(
    field(
      writeOnly(1_024),
      "Application password of that user. Absent, null or empty keeps the stored one; required the first time, and with another host or user name",
    ),
  ),
});
