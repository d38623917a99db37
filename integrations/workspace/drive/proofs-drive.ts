import { SCOPE } from "../../../mixins/google/scopes.ts";
import type { ModuleProofs, Place, ProofTools } from "../../../test/support/fixture/proofs.ts";

const EVERYBODY = "select account_id from memberships where organisation_id = $1";
const COVERED = `update workspace_connections set scopes = array[$2] where organisation_id = $1 returning subject, client_id`;
const SETTINGS = `update workspace_settings set drive_parent_folder_id = $2, automation_connection_user_id = $3 where organisation_id = $1`;
/** Gives every client except one a folder, so that a request for all folders concerns only that one. */
const OTHERS = `insert into drive_links (id, organisation_id, company_id, drive_file_id, drive_url, name, is_folder, is_root)
  select gen_random_uuid(), $1, c.id, 'root-' || c.id, 'https://drive.google.com/open?id=root', c.name, true, true from companies c
   where c.organisation_id = $1 and c.id <> $2 and not exists (
     select 1 from drive_links l where l.organisation_id = $1 and l.company_id = c.id and l.is_root)`;

/** Fixtures for files. @param connect connects people, each to a new person at Google */
export function driveProofs(
  { google, drive, insert, named, next }: ProofTools,
  connect: (place: Place, people: readonly string[]) => Promise<void>,
): ModuleProofs {
  const roots = new WeakMap<Place, string>();
  /** The parent folder of an organisation's folders. */
  const rootOf = (place: Place): string => {
    const root = roots.get(place) ?? drive.folder(named(place.token)).id;
    roots.set(place, root);
    return root;
  };
  /** Connects all members with a grant that covers files; automation uses the owner's connection. */
  const connected = async (place: Place) => {
    const { tenant, sql } = place;
    const { id: organisation } = tenant.organisation;
    const { rows: people } = await sql.query(EVERYBODY, [organisation]);
    await connect(
      place,
      people.map(({ account_id }) => account_id as string),
    );
    for (const { subject, client_id } of (await sql.query(COVERED, [organisation, SCOPE.drive])).rows) {
      const person = google.state.people.find((one) => one.subject === subject);
      if (!person) throw new Error(`${subject} is not a user at Google`);
      google.state.granted(person, client_id, [SCOPE.drive]);
      drive.files.get(rootOf(place))?.readers.add(person.subject);
    }
    await sql.query(SETTINGS, [organisation, rootOf(place), tenant.owner.accountId]);
  };
  const oneWithoutFolder = async (place: Place) => {
    await connected(place);
    await place.sql.query("delete from drive_provisions where organisation_id = $1", [place.tenant.organisation.id]);
    await place.sql.query(OTHERS, [place.tenant.organisation.id, place.companyId]);
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
      "POST /workspace/drive/provision-all": oneWithoutFolder,
    },
  };
}
