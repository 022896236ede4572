import { CfnOutput } from 'aws-cdk-lib/core';
import { DomainName, EndpointType, SecurityPolicy, type RestApiBase } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Construct } from 'constructs';

interface Props {
  api: RestApiBase;
  domainName: string;
  certificateArn: string;
}

/** Custom domain of the API. The output names the target of the domain's DNS record. */
export class ApiDomain extends Construct {
  constructor(scope: Construct, id: string, { api, domainName, certificateArn }: Props) {
    super(scope, id);
    const domain = new DomainName(this, 'Name', {
      domainName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    domain.addBasePathMapping(api, { stage: api.deploymentStage });
    const target = new CfnOutput(this, 'Target', {
      value: domain.domainNameAliasDomainName,
      description: `${domainName} must be an alias (CNAME) of this name`,
    });
    target.overrideLogicalId('DomainTarget');
  }
}
