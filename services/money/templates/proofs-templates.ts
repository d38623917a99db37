import type { DefineProofs, Place } from "../../../test/support/fixture/proofs.ts";

/** Fixtures of templates for the generic tests. */
export const templateProofs: DefineProofs = ({ insert, named, idOf, picture }) => {
  const brandPicture = async ({ tenant }: Place) => {
    const { body, headers } = picture();
    return idOf(await tenant.owner.post("/files?entity_type=branding", body, { headers }));
  };
  return {
    makers: {
      "/invoicing/templates template_id": {
        ofCompany: false,
        make: (place) => insert(place, "invoice_templates", { name: named(place.token) }),
      },
      "/invoicing/templates file_id": { ofCompany: false, make: brandPicture },
      "/invoicing/templates qr_logo_file_id": { ofCompany: false, make: brandPicture },
    },
  };
};
