import { expect, test } from 'vitest';
import { chooseFields, knownFields } from '../../../../shared/domain/forms/choose-fields.ts';
import { fieldsInJson } from '../../../../shared/domain/forms/flatten-json.ts';

/** Fields that are chosen from a form without a map: urlencoded, or JSON. */
function chosenFrom(form: string | object) {
  const fields =
    typeof form === 'string'
      ? [...new URLSearchParams(form)].map(([name, value]) => ({ name, value }))
      : (fieldsInJson(JSON.stringify(form))?.fields ?? []);
  const { sender, message } = chooseFields(knownFields(fields));
  return { ...sender, ...(message !== '' && { message }) };
}

const halves = { firstName: 'Ann', lastName: 'Lee' };
const contacts = { email: 'ann@example.com', phone: '0491 570 156' };
const message = 'It drips';
const whole = { name: 'Ann Lee', ...contacts, message };
const { name, email, phone } = whole;

const question = (label: string, value: unknown, names: [string, string] = ['label', 'value']) => ({
  [names[0]]: label,
  [names[1]]: value,
});

test.each<[form: string, sent: string | object, taken: object]>([
  // reported
  [
    'Contact Form 7',
    'your-name=Cf+Seven&your-email=cf7@example.com&your-tel=0491570156&your-message=Hello',
    { name: 'Cf Seven', email: 'cf7@example.com', phone: '0491570156', message: 'Hello' },
  ],
  // reported
  [
    'Elementor',
    'form_fields[name]=El+Em&form_fields[email]=el@example.com&form_fields[message]=Tap',
    { name: 'El Em', email: 'el@example.com', message: 'Tap' },
  ],
  // made up, in the forms that the documentations describe
  [
    'Contact Form 7, other tags',
    `_wpcf7=12&text-1=red&email-22=${email}&tel-333=0491 570 156&textarea-4=It drips`,
    { ...contacts, message },
  ],
  [
    'Elementor, simple webhook',
    `Full Name=Ann Lee&E-mail address=${email}&Mobile no.=0491 570 156&Message=It drips&Remote IP=203.0.113.7&form_name=New Form`,
    whole,
  ],
  [
    'Elementor, advanced webhook',
    `form[id]=1&form[name]=New Form&fields[name][id]=name&fields[name][title]=&fields[name][value]=Ann Lee&fields[name][raw_value]=Ann Lee` +
      `&fields[email][title]=Email&fields[email][value]=${email}&fields[field_7ab][title]=Mobile&fields[field_7ab][value]=0491 570 156` +
      '&fields[field_8cd][title]=How can we help?&fields[field_8cd][value]=It drips&meta[date][title]=Date&meta[date][value]=May 1',
    whole,
  ],
  [
    'Elementor, a name beside fields with other names',
    'form_fields[name]=Ann Lee&form_fields[field_7ab]=red',
    { name },
  ],
  [
    'WPForms, as it posts',
    `wpforms[fields][0][first]=Ann&wpforms[fields][0][last]=Lee&wpforms[fields][1]=${email}&wpforms[fields][2]=It drips&wpforms[id]=7`,
    { ...halves, email },
  ],
  [
    'WPForms, entry',
    {
      id: '7',
      fields: {
        1: { name: 'Name', value: name, id: 0, type: 'name', first: 'Ann', last: 'Lee' },
        2: { name: 'Email', value: email, id: 1, type: 'email' },
        3: { name: 'Comment or Message', value: message, id: 2, type: 'textarea' },
      },
    },
    { name, ...halves, email, message },
  ],
  [
    'Webflow',
    {
      triggerType: 'form_submission',
      payload: {
        name: 'Contact Us',
        siteId: '65427cf400e02b306eaa049c',
        data: { Name: name, Email: email, 'Phone Number': phone, Message: message },
        schema: [{ fieldName: 'Name', fieldType: 'FormTextInput', fieldElementId: '285042f7' }],
        formId: '65429eadebe8a9f3a30f62d0',
      },
    },
    whole,
  ],
  [
    'Webflow, version 1',
    { name: 'Email Form', site: '62749158', data: { name, email }, d: '2026-09-14', _id: '6321ca84' },
    { name, email },
  ],
  [
    'Meta lead ads',
    {
      id: '44',
      form_id: '2',
      field_data: [
        question('what_is_it_about?', ['Gutters'], ['name', 'values']),
        question('full_name', [name], ['name', 'values']),
        question('email', [email], ['name', 'values']),
        question('phone_number', [phone], ['name', 'values']),
        question('city', ['Glebe'], ['name', 'values']),
        question('company_name', ['Lee & Co'], ['name', 'values']),
      ],
    },
    { name, ...contacts, suburb: 'Glebe', businessName: 'Lee & Co' },
  ],
  [
    'Meta lead ads, one question',
    { field_data: [question('full_name', [name], ['name', 'values'])] },
    { name },
  ],
  [
    'Formbricks',
    {
      event: 'responseFinished',
      data: {
        id: 'clx4',
        survey: { title: 'Ask us', name: 'Ask us' },
        data: { name, email, yz51gn52erhqn269lkz29l22: phone },
        contactAttributes: { email, userId: 'u1' },
        meta: { url: 'https://a.example', userAgent: { os: 'Mac OS' } },
      },
    },
    { name, ...contacts },
  ],
  [
    'Formbricks, contact info',
    { data: { data: { h51gn52erhqn269lkz29l22a: ['Ann', 'Lee', email, phone, 'Lee & Co'] } } },
    { ...halves, ...contacts, businessName: 'Lee & Co' },
  ],
  [
    'Typeform',
    {
      form_response: {
        definition: {
          fields: [
            { id: 'a1', title: 'What is your name?', type: 'short_text' },
            { id: 'a2', title: 'How can we help you?', type: 'long_text' },
          ],
        },
        variables: [{ key: 'name', type: 'text', text: 'typeform' }],
        answers: [
          { type: 'text', text: name, field: { id: 'a1', ref: 'r1' } },
          { type: 'email', email, field: { id: 'a3', ref: 'r3' } },
          { type: 'phone_number', phone_number: phone, field: { id: 'a4', ref: 'r4' } },
          { type: 'text', text: message, field: { id: 'a2', ref: 'r2' } },
        ],
      },
    },
    whole,
  ],
  [
    'Jotform',
    `formID=233&username=torrens&formTitle=Ask us&rawRequest=${encodeURIComponent(
      JSON.stringify({
        slug: 'submit/233',
        q3_name: { first: 'Ann', last: 'Lee' },
        q4_email4: email,
        q5_phoneNumber: { full: phone },
        q6_message: message,
      }),
    )}`,
    { ...halves, ...contacts, message },
  ],
  [
    'Gravity Forms, all fields',
    { id: '5', form_id: '1', '1.3': 'Ann', '1.6': 'Lee', 2: email, 3: phone, 4: message, ip: '203.0.113.7' },
    { ...halves, ...contacts },
  ],
  [
    'Gravity Forms, as it posts',
    `input_1_3=Ann&input_1_6=Lee&input_2=${email}&input_3=0491 570 156&gform_submit=1`,
    { ...halves, ...contacts },
  ],
  [
    'Gravity Forms, labels',
    { 'Name (First)': 'Ann', 'Name (Last)': 'Lee', Email: email },
    { ...halves, email },
  ],
  ['Gravity Forms, an address first', { '1.1': '5 High St', '1.3': 'Glebe', '1.6': 'Australia' }, {}],
  ['Gravity Forms, boxes after a name', { 1: name, '5.3': 'Gutters', '5.6': 'Roof' }, {}],
  [
    'Google Forms',
    {
      namedValues: {
        Timestamp: ['1/5/2026'],
        'Your name': [name],
        'Email Address': [email],
        'Mobile no.': [phone],
        'Any comments?': [message],
      },
    },
    whole,
  ],
  [
    'Google Forms, responses',
    {
      responses: [
        question('Name', name, ['question', 'answer']),
        question('Phone (e.g. 0400 000 000)', phone, ['question', 'answer']),
      ],
    },
    { name, phone },
  ],
  [
    'a list of fields',
    [question('Your Email', email, ['name', 'value']), { id: 'x', value: 'red' }],
    { email },
  ],
  [
    'Formstack',
    { FormID: '1', Name: { first: 'Ann', last: 'Lee' }, Email: { value: email } },
    { ...halves, email },
  ],
  [
    'Shopify',
    `contact[name]=Ann Lee&contact[email]=${email}&contact[body]=It drips`,
    { name, email, message },
  ],
  ['Mailchimp', `FNAME=Ann&LNAME=Lee&EMAIL=${email}`, { ...halves, email }],
  [
    'people and things beside the sender',
    {
      owner: { name: 'Bo', email: 'bo@example.com' },
      company: { name: 'Lee & Co', phone: '02 5550 1234' },
      product: { name: 'Tap', description: 'Brass' },
      form: { name: 'Ask us', fields: { email } },
    },
    { email, businessName: 'Lee & Co' },
  ],
  ['halves of a name', { contact_name: { First: 'Ann', Last: 'Lee' }, score: { First: 'red' } }, halves],
  ['two senders', { guests: [{ email }, { email: 'bo@example.com' }], notes: message }, { message }],
  ['the same value twice', { billing: { email }, shipping: { email: email.toUpperCase() } }, { email }],
  ['the message before notes', { notes: 'Side gate', message }, { message }],
  ['nothing of a person', 'colour=red&Email me offers=yes&phone_type=mobile&Confirm email=x@example.com', {}],
])('%s', (_, sent, taken) => {
  expect(chosenFrom(sent)).toEqual(taken);
});
