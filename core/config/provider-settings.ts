import path from "node:path";
import { type Setting, secretSetting, setting } from "./setting.ts";
import { adsVersion, apiPath, bucket, service, smsSender, text, whole } from "./values.ts";

/** APIs of the providers, and credentials for organisations without their own. */
export const providerSettings = {
  paymentApiRoot: setting("SERVICE_PAYMENT_API_ROOT", "https://api.mollie.com/v2", service, "API of the payment provider Mollie"),
  edgeApiUrl: setting(
    "SERVICE_EDGE_API_URL",
    "https://api.cloudflare.com/client/v4",
    service,
    "API of the edge provider Cloudflare",
  ),
  accountSyncHours: setting(
    "SERVICE_ACCOUNT_SYNC_HOURS",
    "24",
    whole(0, 168),
    "Hours between two syncs of an account at the edge provider or a registrar; 0: only on request",
  ),
  aiAnthropicApiUrl: setting(
    "SERVICE_AI_ANTHROPIC_API_URL",
    "https://api.anthropic.com",
    service,
    "API of the AI provider Anthropic",
  ),
  aiOpenaiApiUrl: setting("SERVICE_AI_OPENAI_API_URL", "https://api.openai.com/v1", service, "API of the AI provider OpenAI"),
  aiReadTimeout: setting(
    "SERVICE_AI_READ_TIMEOUT_MS",
    "180000",
    whole(100, 180000),
    "How long an AI provider may keep silent, before its first byte and between any two",
  ),
  registrarApiUrl: setting("SERVICE_REGISTRAR_API_URL", "https://api.oxxa.com", service, "API of the registrar OXXA"),
  workspaceClientId: setting(
    "SERVICE_WORKSPACE_CLIENT_ID",
    undefined,
    text,
    "OAuth client at Google for organisations without their own; unset: each needs its own",
  ),
  workspaceClientSecret: secretSetting(
    "SERVICE_WORKSPACE_CLIENT_SECRET",
    text,
    "Its secret; needed with `SERVICE_WORKSPACE_CLIENT_ID`",
  ),
  workspaceOauthApiUrl: setting(
    "SERVICE_WORKSPACE_OAUTH_API_URL",
    "https://oauth2.googleapis.com",
    service,
    "Google's token endpoint without `/token`: exchange, refresh and revocation of grants",
  ),
  workspaceCalendarApiUrl: setting(
    "SERVICE_WORKSPACE_CALENDAR_API_URL",
    "https://www.googleapis.com/calendar/v3",
    service,
    "API of Google Calendar",
  ),
  workspaceDriveApiUrl: setting(
    "SERVICE_WORKSPACE_DRIVE_API_URL",
    "https://www.googleapis.com/drive/v3",
    service,
    "API of Google Drive",
  ),
  workspaceUploadApiUrl: setting(
    "SERVICE_WORKSPACE_UPLOAD_API_URL",
    "https://www.googleapis.com/upload/drive/v3",
    service,
    "API that opens upload sessions of Google Drive",
  ),
  workspaceGmailApiUrl: setting(
    "SERVICE_WORKSPACE_GMAIL_API_URL",
    "https://gmail.googleapis.com/gmail/v1",
    service,
    "API of Gmail",
  ),
  workspaceAnalyticsAdminApiUrl: setting(
    "SERVICE_WORKSPACE_ANALYTICS_ADMIN_API_URL",
    "https://analyticsadmin.googleapis.com/v1beta",
    service,
    "API of Google Analytics that lists properties",
  ),
  workspaceAnalyticsDataApiUrl: setting(
    "SERVICE_WORKSPACE_ANALYTICS_DATA_API_URL",
    "https://analyticsdata.googleapis.com/v1beta",
    service,
    "API of Google Analytics that answers reports",
  ),
  workspaceSearchConsoleApiUrl: setting(
    "SERVICE_WORKSPACE_SEARCH_CONSOLE_API_URL",
    "https://searchconsole.googleapis.com/webmasters/v3",
    service,
    "API of Google Search Console",
  ),
  adsApiUrl: setting(
    "SERVICE_ADS_API_URL",
    "https://googleads.googleapis.com",
    service,
    "API of Google Ads, without its version",
  ),
  adsApiVersion: setting("SERVICE_ADS_API_VERSION", "v26", adsVersion, "Version of the Google Ads API"),
  adsDeveloperToken: secretSetting(
    "SERVICE_ADS_DEVELOPER_TOKEN",
    text,
    "Developer token of the Google Ads API for organisations without their own",
  ),
  serankingApiUrl: setting("SERVICE_SERANKING_API_URL", "https://api.seranking.com/v1", service, "API of SE Ranking"),
  serankingEnginesPath: setting(
    "SERVICE_SERANKING_ENGINES_PATH",
    "/project-management/system/search-engines",
    apiPath,
    "Path of the names of search engines below the API of SE Ranking; where it answers 404 search engines are shown by their ids",
  ),
  smsApiUrl: setting("SERVICE_SMS_API_URL", "https://api.telnyx.com/v2", service, "Gateway of text messages (Telnyx)"),
  smsApiKey: secretSetting("SERVICE_SMS_API_KEY", text, "Key of the gateway; unset: no text messages"),
  smsSender: setting(
    "SERVICE_SMS_SENDER",
    undefined,
    smsSender,
    "Sender number or name of text messages; needed with `SERVICE_SMS_API_KEY`",
  ),
  smsProfile: setting(
    "SERVICE_SMS_PROFILE",
    undefined,
    text,
    "Messaging profile at the gateway; needed when the sender is a name",
  ),
  slackApiUrl: setting("SERVICE_SLACK_API_URL", undefined, service, "Called for Slack instead of `https://hooks.slack.com`"),
  discordApiUrl: setting("SERVICE_DISCORD_API_URL", undefined, service, "Address to call instead of Discord's own host"),
  gchatApiUrl: setting(
    "SERVICE_GCHAT_API_URL",
    undefined,
    service,
    "Called for Google Chat instead of `https://chat.googleapis.com`",
  ),
  msteamsApiUrl: setting("SERVICE_MSTEAMS_API_URL", undefined, service, "Address to call instead of Microsoft Teams' own hosts"),
  telegramApiUrl: setting(
    "SERVICE_TELEGRAM_API_URL",
    undefined,
    service,
    "Called for Telegram instead of `https://api.telegram.org`",
  ),
  accountingJournalFolder: setting(
    "SERVICE_ACCOUNTING_JOURNAL_FOLDER",
    undefined,
    (value) => path.resolve(import.meta.dirname, "../..", value),
    "Folder that exported invoices are written to, as CSV journals (provider `journal`) and e-invoices (`ubl`), in a folder per organisation; unset: no such providers",
  ),
  accountingJournalBucket: setting(
    "SERVICE_ACCOUNTING_JOURNAL_BUCKET",
    undefined,
    bucket,
    "S3 bucket for those files instead, with region, key and service of the files",
  ),
} as const satisfies Record<string, Setting<unknown>>;
