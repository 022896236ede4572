/**
 * Whether who sends this `Accept` is a browser that shows the answer (RFC 9110, section 12.5.1). One that names JSON as well is a
 * client that can read both.
 */
export function wantsPage(accept = ''): boolean {
  const wanted = accept.split(',').flatMap((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [type];
  });
  return wanted.includes('text/html') && !wanted.includes('application/json');
}
