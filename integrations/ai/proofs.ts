import { SIMULATED_KEY } from "../../test/simulators/ai/ai-simulator.ts";
import type { DefineProofs, Place } from "../../test/support/fixture/proofs.ts";

/** The first bytes of an audio clip. */
const CLIP = Buffer.from("OggS and a word").toString("base64");

/** Configures an organisation to use the simulated models. */
const configured = async ({ tenant }: Place): Promise<void> => {
  const { status, text } = await tenant.owner.put("/ai/settings", { provider: "openai", api_key: SIMULATED_KEY });
  if (status !== 200) throw new Error(`no settings: ${status} ${text}`);
};

/** Fixtures of AI for the generic tests. Only the tests load it. */
const proofs: DefineProofs = ({ insert, named }) => ({
  makers: {
    report_id: {
      ofCompany: true,
      make: (place) =>
        insert(place, "ai_reports", {
          company_id: place.companyId,
          period: "2026-03",
          language: "nl",
          title: named(place.token),
        }),
    },
  },
  values: {
    period: () => "2026-03",
    api_key: () => SIMULATED_KEY,
    audio: () => CLIP,
    provider: () => "openai",
    role: () => "user",
    // The default address leads to the simulated models.
    base_url: () => null,
    speech_api_key: () => SIMULATED_KEY,
    speech_base_url: () => null,
  },
  arranged: {
    "POST /ai/assist/write": configured,
    "POST /ai/assistant": configured,
    "POST /ai/companies/{company_id}/digest": configured,
    "POST /ai/reports/generate": configured,
    "POST /ai/time/parse": configured,
    "POST /ai/time/reconstruct": configured,
    "POST /ai/time/transcribe": configured,
  },
});
export default proofs;
