import { describe, expect, test } from 'vitest';
import { parseFieldMap } from '../../../../shared/contract/field-map.ts';
import { chooseFields, knownFields } from '../../../../shared/domain/forms/choose-fields.ts';

/** The fields that are chosen among these. */
const chosen = (pairs: [name: string, value: string][], map?: string) => {
  const fields = pairs.map(([name, value]) => ({ name, value }));
  return chooseFields(knownFields(fields, map === undefined ? [] : parseFieldMap(map)));
};

describe('a field is recognized by its name', () => {
  test.each([
    ['email', 'E-Mail'],
    ['firstName', 'First Name'],
    ['lastName', 'LAST_NAME'],
    ['businessName', 'business-name'],
    ['suburb', ' Suburb '],
  ] as const)('%s: %j', (known, name) => {
    const value = known === 'email' ? 'ann@example.com' : 'Ann';
    expect(chosen([[name, value]]).sender).toEqual({ [known]: value });
  });

  test.each(['confirm email', 'emailed', 'status', 'socials', 'externalInquiryId'])(
    'and not by %j',
    (name) => {
      expect(chosen([[name, 'ann@example.com']])).toEqual({
        sender: {},
        phones: [],
        message: '',
        externalId: null,
      });
    },
  );
});

describe('of several fields', () => {
  test('the first valid one counts', () => {
    const { sender } = chosen([
      ['email', 'none'],
      ['e-mail', 'ann@example.com'],
      ['EMAIL', 'bob@example.com'],
      ['name', 'Ann\uFFFD'],
      ['Name', '  Ann Lee  '],
    ]);
    expect(sender).toEqual({ email: 'ann@example.com', name: 'Ann Lee' });
  });

  test('a mapped one counts first, in the order of the map', () => {
    const fields: [string, string][] = [
      ['name', 'The form'],
      ['a.who', 'Ann'],
      ['a.other', 'Bob'],
    ];
    expect(chosen(fields, 'name:a.none,name:a.other,name:a.who').sender).toEqual({ name: 'Bob' });
    expect(chosen(fields, 'name:a.none').sender).toEqual({ name: 'The form' });
  });

  test('the phone number is the first that looks like one, otherwise the first', () => {
    const answers: [string, string][] = [
      ['answers.0.value', 'Ann Lee'],
      ['answers.1.value', 'ann.0491570159@example.com'],
      ['answers.2.value', '2026-12-05'],
      ['answers.3.value', '(02) 5550 1234'],
    ];
    const likely = ['2026-12-05', '(02) 5550 1234', 'Ann Lee', 'ann.0491570159@example.com'];
    expect(chosen(answers, 'phone:answers.*.value').phones).toEqual(likely);
    expect(chosen(answers.slice(0, 1), 'phone:answers.*.value').sender.phone).toBe('Ann Lee');
  });

  test('a file is never chosen', () => {
    const known = knownFields([{ name: 'name', value: 'cv.pdf (a file, not kept)', isFile: true }]);
    expect(chooseFields(known).sender).toEqual({});
  });
});

describe('a map', () => {
  test('names paths, in which * is any one part', () => {
    const fields: [string, string][] = [
      ['form.answers.0.text', 'Drip'],
      ['form.answers.0.field.text', 'no'],
      ['form.answers.1.email', 'ann@example.com'],
      ['form.token', 'id-1'],
    ];
    const map = 'email:form.answers.*.email, message:form.answers.*.text , externalInquiryId:form.token';
    expect(chosen(fields, map)).toEqual({
      sender: { email: 'ann@example.com' },
      phones: [],
      message: 'Drip',
      externalId: 'id-1',
    });
  });

  test('takes special characters literally', () => {
    expect(chosen([['fields[email]', 'ann@example.com']], 'email:fields[email]').sender.email).toBeDefined();
    expect(chosen([['aXb', 'ann@example.com']], 'email:a.b').sender.email).toBeUndefined();
    expect(chosen([['a(', 'ann@example.com']], 'email:a(').sender.email).toBeDefined();
  });

  test('finds fields in a text that is JSON itself', () => {
    const fields: [string, string][] = [['rawRequest', '{"q3_who":{"one":"Ann","two":"Lee"},"id":7}']];
    const map = 'firstName:rawRequest.q3_who.one,lastName:rawRequest.q3_who.two';
    expect(chosen(fields, map).sender).toEqual({ firstName: 'Ann', lastName: 'Lee' });
  });

  test('of the whole name leaves no room for halves elsewhere', () => {
    const fields: [string, string][] = [
      ['a.who', 'Ann Lee'],
      ['fields.first', 'Bo'],
      ['fields.last', 'Berg'],
    ];
    expect(chosen(fields, 'name:a.who').sender).toEqual({ name: 'Ann Lee' });
  });

  test.each(['', 'email', 'email:', ':path', 'mail:path', 'email:a,,name:b', 'status:a', 'email;a'])(
    'is none where it is %j',
    (text) => {
      expect(parseFieldMap(text)).toBeUndefined();
    },
  );
});
