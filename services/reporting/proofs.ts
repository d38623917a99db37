import type { DefineProofs, Place } from "../../test/support/fixture/proofs.ts";

/** What the generic proofs need to know of reports. Loaded by the tests alone. */
const proofs: DefineProofs = ({ insert, named, idOf, next, picture }) => {
  const tone = (place: Place) => insert(place, "report_tones", { key: `tone-${next()}`, name: named(place.token) });
  const template = (audience: string) => (place: Place) =>
    insert(place, "report_templates", { name: named(place.token), audience });
  const cover = async ({ tenant }: Place) => {
    const { body, headers } = picture();
    return idOf(await tenant.owner.post("/files?entity_type=branding", body, { headers }));
  };
  return {
    makers: {
      "/reporting tone_id": {
        ofCompany: false,
        // A second one stays active, or none could be deleted.
        make: async (place) => {
          await tone(place);
          return tone(place);
        },
      },
      "/reporting template_id": { ofCompany: false, make: template("client") },
      "/reporting internal_template_id": { ofCompany: false, make: template("internal") },
      "/reporting cover_image_file_id": { ofCompany: false, make: cover },
    },
    values: {
      "/reporting locale": () => "nl",
      "/reporting default_locale": () => "nl",
      "/reporting design": () => "standard",
    },
    bodies: {
      "PUT /reporting/companies/{company_id}/profile": async (place) => {
        return {
          display_name: `The client ${next()}`,
          goals: "More visitors",
          locale: "nl",
          tone_id: await tone(place),
          template_id: await template("client")(place),
          internal_template_id: await template("internal")(place),
          recipients: [{ email: "client@example.com", name: "The client" }],
          schedule: { hour: 9 },
          sections: { "marketing.social": false },
        };
      },
    },
    fixedLists: {
      "GET /reporting/templates/sections": "what the enabled modules declare; no rows",
    },
    arranged: {
      // A saved profile, so that there is a version to be stale against.
      "PUT /reporting/companies/{company_id}/profile": ({ sql, tenant }, rows) =>
        sql.query(
          "insert into report_profiles (id, organisation_id, company_id) values (gen_random_uuid(), $1, $2) on conflict do nothing",
          [tenant.organisation.id, rows["company_id"]],
        ),
    },
  };
};
export default proofs;
