import type { ModuleProofs, Place, ProofTools } from "../../../test/support/fixture/proofs.ts";
import { SCOPE } from "../connections/consent.ts";

/**
 * What the generic proofs need to know of files.
 * @param connection connects the owner of a place
 */
export function driveProofs(
  { google, drive, insert, named, next }: ProofTools,
  connection: (place: Place) => Promise<unknown>,
): ModuleProofs {
  const roots = new WeakMap<Place, string>();
  /** The folder that an organisation's folders are made in. */
  const rootOf = (place: Place): string => {
    const root = roots.get(place) ?? drive.folder(named(place.token)).id;
    roots.set(place, root);
    return root;
  };
  /** Connects the owner with a grant that covers files, who also is whom automation works as. */
  const connected = async (place: Place) => {
    const { tenant, sql } = place;
    await connection(place);
    const { rows } = await sql.query(
      `update workspace_connections set scopes = array[$3] where organisation_id = $1 and account_id = $2 returning subject, client_id`,
      [tenant.organisation.id, tenant.owner.accountId, SCOPE.drive],
    );
    const person = google.state.people.find(({ subject }) => subject === rows[0].subject);
    if (!person) throw new Error("the owner is nobody at Google");
    google.state.granted(person, rows[0].client_id, [SCOPE.drive]);
    drive.files.get(rootOf(place))?.readers.add(person.subject);
    await sql.query(
      "update workspace_settings set drive_parent_folder_id = $2, automation_connection_user_id = $3 where organisation_id = $1",
      [tenant.organisation.id, rootOf(place), tenant.owner.accountId],
    );
  };
  const ofCompany = ({ companyId }: Place) => ({ entity_type: "company", entity_id: companyId });
  const folderOfCompany = async (place: Place) => ({ ...ofCompany(place), drive_file_id: rootOf(place) });

  return {
    makers: {
      link_id: {
        ofCompany: true,
        make: (place) =>
          insert(place, "drive_links", {
            company_id: place.companyId,
            drive_file_id: `file-${next()}`,
            drive_url: "https://drive.google.com/open?id=file",
            name: named(place.token),
            is_folder: false,
          }),
      },
    },
    bodies: {
      "POST /workspace/drive/links": folderOfCompany,
      "PUT /workspace/drive/folder": folderOfCompany,
      "POST /workspace/drive/folders": async (place) => ({ parent_id: rootOf(place), name: named(place.token) }),
      "POST /workspace/drive/upload-session": async (place) => ({ folder_id: rootOf(place), name: named(place.token) }),
      "POST /workspace/drive/provision": async (place) => ofCompany(place),
    },
    arranged: {
      "GET /workspace/drive/browse": connected,
      "POST /workspace/drive/links": connected,
      "PUT /workspace/drive/folder": connected,
      "POST /workspace/drive/folders": connected,
      "POST /workspace/drive/upload-session": connected,
      "POST /workspace/drive/provision": connected,
      "POST /workspace/drive/provision-all": connected,
    },
  };
}
