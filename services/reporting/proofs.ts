import type { DefineProofs, Place } from "../../test/support/fixture/proofs.ts";

/** What the generic proofs need to know of reports. Loaded by the tests alone. */
const proofs: DefineProofs = ({ insert, named, idOf, next, picture, make }) => {
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
        const contact_id = await make("contact_id", place);
        await place.sql.query(
          `insert into contact_links (id, organisation_id, contact_id, company_id) values (gen_random_uuid(), $1, $2, $3)
           on conflict do nothing`,
          [place.tenant.organisation.id, contact_id, place.companyId],
        );
        return {
          display_name: named(place.token),
          goals: named(place.token),
          locale: "nl",
          tone_id: await tone(place),
          template_id: await template("client")(place),
          internal_template_id: await template("internal")(place),
          recipients: [{ contact_id }],
          schedule: { hour: 9 },
          sections: { "marketing.social": false },
        };
      },
    },
    arranged: {
      // A saved profile, so that there is a version to be stale against.
      "PUT /reporting/companies/{company_id}/profile": async (place, rows) =>
        insert(place, "report_profiles", { company_id: rows["company_id"] }),
    },
  };
};
export default proofs;
