import { describe, expect, test } from 'vitest';
import { runApp } from '../../../infra/local/synthesize.ts';
import { settingsOf, type StageSettings } from '../../../infra/stack/settings-schema.ts';
import { stageSettings } from '../../../infra/stack/stages.ts';
import { allSettings } from '../../support/template/made-up-stack.ts';
import { newFolder } from '../../support/new-folder.ts';

/** Values that the CDK itself puts into the context. */
const context = {
  stage: 'prod',
  'cli-telemetry': false,
  'acknowledged-issue-numbers': [1],
  'aws:cdk:x': true,
  '@aws-cdk/core:y': true,
};

describe('settings', () => {
  test('are those of the file, of which nothing is lost when another is tried', () => {
    expect(settingsOf(allSettings, context)).toEqual(allSettings);
    expect(settingsOf(allSettings, { ...context, requestBurst: '7' })).toEqual({
      ...allSettings,
      requestBurst: 7,
    });
  });

  const sms = 'arn:aws:sms-voice:us-east-1:123456789012:phone-number/phone-0a1b';
  const acl = 'arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/other/0a1b-2c3d';
  const role = 'arn:aws:iam::123456789012:role/of/logs';
  const certificate = 'arn:aws:acm:eu-west-1:123456789012:certificate/other';
  test.each<[keyof StageSettings, given: string, read: unknown]>([
    ['account', '123456789012', '123456789012'],
    ['region', 'us-gov-west-1', 'us-gov-west-1'],
    ['tableName', 'SalesPipeline-prod-restored_1.2', 'SalesPipeline-prod-restored_1.2'],
    ['smsOriginationIdentity', sms, sms],
    ['logRetentionDays', '30', 30],
    ['requestsPerTokenPerMinute', '121', 121],
    ['reservedConcurrency', 'listLeads:5,createLead:10', { listLeads: 5, createLead: 10 }],
    ['reservedConcurrency', '', {}],
    ['tracing', 'true', true],
    ['tracing', 'false', false],
    ['accountLogRole', 'keep', 'keep'],
    ['accountLogRole', role, role],
    ['webAcl', 'own', 'own'],
    ['webAcl', acl, acl],
    ['alarmAddresses', 'ann@example.org,bob@example.org', ['ann@example.org', 'bob@example.org']],
    ['alarmAddresses', 'none', 'none'],
    ['alarmAfterHoursWithoutTraffic', '168', 168],
    ['operatorName', 'Harbour & Söhne', 'Harbour & Söhne'],
    ['supportUrl', 'mailto:help@example.org', 'mailto:help@example.org'],
    ['domainName', 'sales.example.org', 'sales.example.org'],
    ['domainName', 'api.xn--e1afmkfd.xn--p1ai', 'api.xn--e1afmkfd.xn--p1ai'],
    ['certificateArn', certificate, certificate],
  ])('can be tried by their names: -c %s=%s', (name, given, read) => {
    expect(settingsOf(allSettings, { ...context, [name]: given })).toEqual({ ...allSettings, [name]: read });
  });

  const reservations = 'operations, each once, with how many requests each serves at once, from 1 to 10000';
  test.each<[keyof StageSettings, wrong: unknown, must: string]>([
    ['account', '12345678901', 'the 12 digits of an AWS account, such as 123456789012'],
    ['region', 'Virginia', 'a region of AWS, such as us-east-1'],
    ['tableName', 'ab', 'the name of a table, 3 to 255 of letters, digits, "_", "-" and ".", such as'],
    ['smsOriginationIdentity', '+61491570156', 'the ARN of a phone number, a pool or a sender id, such as'],
    [
      'smsOriginationIdentity',
      'arn:aws:sms-voice:us-east-1:123456789012:pool/*',
      'the ARN of a phone number',
    ],
    ['operatorName', ' ', 'the name of a business, of at most 80 characters'],
    ['supportUrl', 'javascript:alert(1)', 'an address such as https://example.com/help or mailto:'],
    ['logRetentionDays', '31', 'one of 1, 3, 5, 7, 14, 30,'],
    ['requestsPerSecond', '', 'a whole number from 1 to 10000'],
    ['requestsPerSecond', '1.5', 'a whole number from 1 to 10000'],
    ['requestsPerSecond', '10001', 'a whole number from 1 to 10000'],
    ['requestBurst', '5001', 'a whole number from 1 to 5000'],
    ['alarmAfterHoursWithoutTraffic', '169', 'a whole number from 0 to 168'],
    ['accountConcurrency', '0', 'a whole number from 1 to 1000000'],
    ['requestsPerTokenPerMinute', '9', 'a whole number from 10 to 600000'],
    ['requestsPerKeyPerMinute', '9', 'a whole number from 10 to 600000'],
    ['formsPerKeyPerDay', '0', 'a whole number from 1 to 1000000'],
    ['requestsPerKeyAndAddressPerMinute', '9', 'a whole number from 10 to 600000'],
    ['refusedTokensPerAddressPerMinute', '0', 'a whole number from 1 to 600000'],
    ['maxWriteRequestUnits', '1999', 'a whole number from 2000 to 40000'],
    ['reservedConcurrency', 'listLeads', reservations],
    ['reservedConcurrency', 'listLeads:0', reservations],
    ['reservedConcurrency', 'listLeads:10001', reservations],
    ['reservedConcurrency', 'listLeads:1.5', reservations],
    ['reservedConcurrency', 'listLeads:5,listLeads:6', reservations],
    ['reservedConcurrency', ['listLeads'], reservations],
    ['sms', '', 'true or false'],
    ['tracing', 'yes', 'true or false'],
    ['accountLogRole', 'own', 'make, keep, or the ARN of a role, such as'],
    ['accountLogRole', role.replace('role/', 'user/'), 'make, keep, or the ARN of a role'],
    ['webAcl', 'make', 'none, own, or the ARN of a regional web ACL, such as'],
    ['webAcl', acl.replace('regional', 'global'), 'none, own, or the ARN of a regional web ACL, such as'],
    ['backupVaultArn', 'sales', 'the ARN of a vault of AWS Backup, such as'],
    ['domainName', 'https://example.com', 'a domain name, such as api.example.com'],
    ['certificateArn', 'arn', 'the ARN of a certificate, such as'],
  ])('that have no sense are refused in one sentence: -c %s=%s', (name, wrong, must) => {
    expect(() => settingsOf(allSettings, { ...context, [name]: wrong })).toThrow(
      `The ${name} is ${JSON.stringify(wrong)}, but it must be ${must}`,
    );
  });

  test('that a stage need not have are left out by an empty value', () => {
    const own = { ...allSettings, account: '123456789012', region: 'eu-west-1' };
    expect(settingsOf(own, { ...context, account: '', region: '' })).toEqual(allSettings);
  });

  test('that do not exist are refused, and a domain without its certificate', () => {
    expect(() => settingsOf(allSettings, { ...context, smsOriginationIdentify: sms })).toThrow(
      'There is no setting smsOriginationIdentify, but there are: like, account, region, tableName, sms, smsOriginationIdentity, logRetentionDays, requestsPerSecond, ' +
        'requestBurst, requestsPerTokenPerMinute, requestsPerKeyPerMinute, formsPerKeyPerDay, requestsPerKeyAndAddressPerMinute, refusedTokensPerAddressPerMinute, maxWriteRequestUnits, ' +
        'reservedConcurrency, keepWarm, tracing, requireLeadingKeys, accountLogRole, accountConcurrency, alarmAddresses, alarmAfterHoursWithoutTraffic, webAcl, backupVaultArn, operatorName, supportUrl, domainName, certificateArn',
    );
    for (const [name, other] of [
      ['domainName', 'certificateArn'],
      ['certificateArn', 'domainName'],
    ] as const) {
      const given = { ...context, [name]: allSettings[name] };
      expect(() => settingsOf(stageSettings.dev, given)).toThrow(`set both, or none`);
      expect(settingsOf(stageSettings.dev, { ...given, [other]: allSettings[other] })).toHaveProperty(other);
    }
  });

  test('say nothing of who sends SMS where it is off', () => {
    expect(settingsOf(stageSettings.dev, { ...context, sms: 'false' })).toHaveProperty('sms', false);
    expect(() => settingsOf(allSettings, { ...context, sms: 'false' })).toThrow(
      'The smsOriginationIdentity sends nothing, since sms is false: leave one of them out',
    );
  });

  test('let a key, which anyone can read, send fewer requests than a token', () => {
    const key = { ...context, requestsPerKeyPerMinute: '1500' };
    expect(() => settingsOf(stageSettings.dev, key)).toThrow(
      'The requestsPerKeyPerMinute is 1500, but it must be below the requestsPerTokenPerMinute, 1500: anyone can read a key',
    );
    expect(settingsOf(stageSettings.dev, { ...key, requestsPerTokenPerMinute: '1501' })).toMatchObject({
      requestsPerKeyPerMinute: 1500,
    });
    expect(() => settingsOf(stageSettings.dev, { ...context, requestsPerKeyPerMinute: '20' })).toThrow(
      'The requestsPerKeyAndAddressPerMinute is 20, but it must be below the requestsPerKeyPerMinute, 20: ' +
        'one visitor must not silence a website',
    );
  });

  test('of the file have sense', () => {
    const alarmAddresses = 'none';
    for (const settings of Object.values(stageSettings))
      expect(settingsOf(settings, { alarmAddresses })).toEqual({ ...settings, alarmAddresses });
  });

  test.each(['ann', '', 'ann@example.org,ann@example.org', 'none,ann@example.org'])(
    'tell of alarms to email addresses, each once, and not to "%s"',
    (alarmAddresses) => {
      expect(() => settingsOf(allSettings, { alarmAddresses })).toThrow(
        `The alarmAddresses is ${JSON.stringify(alarmAddresses)}, but it must be email addresses, each once, or none`,
      );
    },
  );

  test('of prod must say who is told of alarms, or that nobody is', () => {
    expect(() => settingsOf(stageSettings.prod, context)).toThrow(
      'Nobody would learn that this stage is broken: say -c alarmAddresses=ann@example.com,bob@example.com or ' +
        '-c alarmAddresses=none, or set alarmAddresses of the stage in infra/stack/stages.ts',
    );
    expect(settingsOf(stageSettings.dev, context)).toEqual(stageSettings.dev);
  });

  test('are refused by the app, in the sentence alone', async () => {
    const folder = newFolder();
    const settings = { alarmAddresses: 'none', reservedConcurrency: 'listLeads:5,getLeads:1' };
    await expect(runApp(folder, 'prod', { settings })).rejects.toThrow(
      /^The reservedConcurrency names "getLeads", but no operation has that id: docs\/openapi.json has the ids, such as \w+$/,
    );
  });
});
